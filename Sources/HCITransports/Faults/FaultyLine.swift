// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// One direction of a connection with faults. A packet can arrive late, corrupted, in two pieces,
/// twice or never.
struct FaultyLine {
    /// The maximum number of delayed pieces. If there are more, the oldest arrive early.
    static let delayedPiecesLimit = 4096

    /// A piece of a packet in transit.
    private struct Piece {
        let bytes: ArraySlice<UInt8>
        let due: Instant
    }

    private let rates: TransportFaultPlan.Rates
    private var generator: SplitMix64
    private var pieces: [Piece] = []

    init(_ rates: TransportFaultPlan.Rates, seed: UInt64) {
        self.rates = rates
        generator = SplitMix64(seed: seed)
    }

    /// The time at which the next piece arrives, or `nil` if there is none.
    var nextDeadline: Instant? { pieces.first?.due }

    /// Adds a complete H4 packet.
    mutating func add(_ packet: ArraySlice<UInt8>, now: Instant) {
        // Every packet draws the same number of random numbers, with or without faults. If one rate
        // of a plan changes, the other faults therefore stay the same.
        let isDropped = happens(rates.drop)
        let isDuplicated = happens(rates.duplicate)
        let corrupted = drawCorruption(of: packet)
        let delay = drawDelay()
        let parts = drawParts(of: corrupted)
        guard !isDropped else { return }
        let due = max(now + delay, pieces.last?.due ?? now)
        for _ in 0..<(isDuplicated ? 2 : 1) {
            pieces += parts.map { Piece(bytes: $0, due: due) }
        }
    }

    /// Removes and returns the next piece if it has arrived by `now`.
    mutating func nextArrived(now: Instant) -> ArraySlice<UInt8>? {
        guard let next = pieces.first,
            next.due <= now || pieces.count > Self.delayedPiecesLimit
        else { return nil }
        return pieces.removeFirst().bytes
    }

    private mutating func happens(_ rate: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < rate
    }

    private mutating func drawCorruption(of packet: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isCorrupted = happens(rates.corrupt)
        let position = generator.next()
        let header = Self.headerLength(of: packet)
        guard isCorrupted, packet.count > header else { return packet }
        let bit = Int(position % UInt64((packet.count - header) * 8))
        var copy = Array(packet)
        copy[header + bit / 8] ^= 1 << UInt8(bit % 8)
        return copy[...]
    }

    private mutating func drawDelay() -> Duration {
        let isDelayed = happens(rates.delay)
        let fraction = Double.random(in: 0...1, using: &generator)
        return isDelayed ? rates.delayLimit * fraction : .zero
    }

    private mutating func drawParts(of packet: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let isSplit = happens(rates.split)
        let position = generator.next()
        guard isSplit, packet.count > 1 else { return [packet] }
        let length = 1 + Int(position % UInt64(packet.count - 1))
        return [packet.prefix(length), packet.dropFirst(length)]
    }

    /// Returns the length of the type byte and the header, which contains the length of the packet.
    private static func headerLength(of packet: ArraySlice<UInt8>) -> Int {
        switch HCI.PacketType(rawValue: packet.first ?? 0) {
        case .event: 3
        case .command, .synchronous: 4
        default: 5
        }
    }
}
