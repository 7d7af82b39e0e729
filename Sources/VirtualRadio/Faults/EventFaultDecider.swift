// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The random choice of event faults: the effect of a fault plan on each event.
///
/// Every event consumes five numbers of the stream whatever the plan is, so the plan does not
/// affect the random numbers of later events.
struct EventFaultDecider: Sendable {
    /// The maximum number of bits that a plan can flip in one event.
    static let corruptBitLimit = 64
    /// The places of the event code and of the parameters in an H4 packet.
    private static let code = 1
    private static let parameters = 3

    private let faults: EventFaults
    private var generator: RandomStream

    init(_ faults: EventFaults, generator: RandomStream) {
        self.faults = faults
        self.generator = generator
    }

    /// The result for one event.
    struct Outcome: Equatable {
        /// The number of times that the event arrives: 0, 1 or 2.
        var count = 1
        /// The additional delay.
        var delay = Duration.zero
        /// The bytes of the event.
        var packet: [UInt8]
    }

    /// Returns the outcome for the packet, which is an event in H4 form.
    mutating func decide(_ packet: [UInt8]) -> Outcome {
        var outcome = Outcome(packet: packet)
        let isDropped = generator.bernoulli(faults.dropProbability)
        let isDuplicated = generator.bernoulli(faults.duplicateProbability)
        let isDelayed = generator.bernoulli(faults.delayProbability)
        let isCorrupted = generator.bernoulli(faults.corruptProbability)
        let corruption = generator.next()
        outcome.count = isDropped ? 0 : isDuplicated ? 2 : 1
        if isDelayed { outcome.delay = max(.zero, faults.delay) }
        if isCorrupted { Self.flip(faults.corruptBitCount, corruption, in: &outcome.packet) }
        return outcome
    }

    /// Flips bits, except those of the packet type and the length.
    private static func flip(_ count: Int, _ seed: UInt64, in packet: inout [UInt8]) {
        let places = [code] + packet.indices.dropFirst(parameters)
        guard packet.count > code else { return }
        var generator = RandomStream(seed: seed)
        for _ in 0..<min(max(count, 0), corruptBitLimit) {
            let bit = Int(generator.uniform(below: UInt64(places.count * 8)))
            packet[places[bit / 8]] ^= 1 << (bit % 8)
        }
    }
}
