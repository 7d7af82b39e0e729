// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The event faults of a plan at work: what becomes of each event.
///
/// Every event spends five numbers of the stream, whatever the plan says, so that a change of plan
/// changes what happens, but not the dice.
struct EventFate: Sendable {
    /// How many bits a plan may have flipped in one event.
    static let corruptBitLimit = 64
    /// Where in an H4 packet the code of an event is, and where its parameters begin.
    private static let code = 1
    private static let parameters = 3

    private let faults: EventFaults
    private var dice: RandomStream

    init(_ faults: EventFaults, dice: RandomStream) {
        self.faults = faults
        self.dice = dice
    }

    /// What becomes of one event.
    struct Outcome: Equatable {
        /// How often it comes: 0, 1 or 2 times.
        var count = 1
        /// How much later than others.
        var delay = Duration.zero
        /// Its octets.
        var packet: [UInt8]
    }

    /// What becomes of the packet, which is an event in H4 form.
    mutating func decide(_ packet: [UInt8]) -> Outcome {
        var outcome = Outcome(packet: packet)
        let isDropped = dice.bernoulli(faults.dropProbability)
        let isDuplicated = dice.bernoulli(faults.duplicateProbability)
        let isDelayed = dice.bernoulli(faults.delayProbability)
        let isCorrupted = dice.bernoulli(faults.corruptProbability)
        let corruption = dice.next()
        outcome.count = isDropped ? 0 : isDuplicated ? 2 : 1
        if isDelayed { outcome.delay = max(.zero, faults.delay) }
        if isCorrupted { Self.flip(faults.corruptBitCount, corruption, in: &outcome.packet) }
        return outcome
    }

    /// Flips bits, but none of the packet's type and its length.
    private static func flip(_ count: Int, _ seed: UInt64, in packet: inout [UInt8]) {
        let places = [code] + packet.indices.dropFirst(parameters)
        guard packet.count > code else { return }
        var dice = RandomStream(seed: seed)
        for _ in 0..<min(max(count, 0), corruptBitLimit) {
            let bit = Int(dice.uniform(below: UInt64(places.count * 8)))
            packet[places[bit / 8]] ^= 1 << (bit % 8)
        }
    }
}
