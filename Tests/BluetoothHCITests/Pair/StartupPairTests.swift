// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("Startup over a byte stream") struct StartupPairTests {
    /// The numbers of the responses at which the tests cause a fault. They cover all of startup,
    /// which has fewer commands.
    static let points = 0..<24

    private func isReady(_ outcome: StartupPair.Outcome) -> Bool {
        if case .ended(.ready) = outcome { return true }
        return false
    }

    private func isTimedOut(_ outcome: StartupPair.Outcome) -> Bool {
        if case .ended(.failed(.commandFailed(_, .timedOut))) = outcome { return true }
        return false
    }

    @Test("Startup finds the same controller for every chunk size", arguments: [1, 2, 3, 7, .max])
    func dripFeed(pieceLength: Int) {
        var whole = StartupPair()
        var dripping = StartupPair()
        dripping.pieceLength = pieceLength
        let outcome = whole.run()
        #expect(isReady(outcome))
        #expect(dripping.run() == outcome)
        #expect(dripping.now == .zero, "Startup waits for no deadline")
    }

    @Test("Startup ends within five seconds if the controller stops answering at any point")
    func silence() {
        for point in Self.points {
            var pair = StartupPair()
            pair.wire = { answer, number in number < point ? answer : [] }
            let outcome = pair.run()
            let isClear = outcome == .unresponsive || isTimedOut(outcome) || isReady(outcome)
            #expect(isClear, "Silent from \(point): \(outcome)")
            #expect(pair.now <= Instant.zero + .seconds(5))
        }
    }

    @Test("Startup survives the loss of any one response, or fails if the response is required")
    func oneLostAnswer() {
        for point in Self.points {
            var pair = StartupPair()
            pair.wire = { answer, number in number == point ? [] : answer }
            let outcome = pair.run()
            if point < 3 {
                #expect(isTimedOut(outcome), "Lost \(point): \(outcome)")
            } else {
                #expect(isReady(outcome), "Lost \(point): \(outcome)")
            }
        }
    }

    @Test("Startup ignores duplicate responses", arguments: points)
    func doubledAnswer(point: Int) {
        var pair = StartupPair()
        pair.wire = { answer, number in number == point ? answer + answer : answer }
        #expect(isReady(pair.run()))
    }

    @Test("Startup ignores unknown and unrelated events", arguments: points)
    func strangeEvents(point: Int) {
        let strange: [HCI.Event] = [
            .unknown(.vendor, nil, parameters: [1, 2, 3]), .hardwareError(.init(code: 1)),
            .commandComplete(
                .init(allowedPackets: 1, opcode: .init(rawValue: 0xFC01), returnParameters: [])
            ),
            .commandStatus(.init(status: .hardwareFailure, allowedPackets: 1, opcode: .none)),
            .numberOfCompletedPackets(
                .init(completed: [.init(connectionHandle: .maximum, count: 9)])
            ),
        ]
        let noise = strange.flatMap(\.packet.h4Bytes)
        var pair = StartupPair()
        pair.wire = { answer, number in number == point ? noise + answer : answer }
        #expect(isReady(pair.run()))
    }

    @Test("Startup succeeds even if no response allows another command")
    func noBudget() {
        let closed: @Sendable ([UInt8], Int) -> [UInt8] = { answer, _ in
            var answer = answer
            answer[3] = 0  // The number of commands that the controller allows.
            return answer
        }
        var pair = StartupPair()
        pair.wire = closed
        #expect(isReady(pair.run()))
        #expect(pair.now > .zero)
    }

    @Test("Startup reports a stream that loses its framing at any point", arguments: points)
    func garbage(point: Int) {
        var pair = StartupPair()
        pair.wire = { answer, number in number == point ? [0x00] + answer : answer }
        let outcome = pair.run()
        #expect(outcome == .lostFraming(.unknownPacketType(0)) || isReady(outcome))
    }

    @Test("Startup ends without a trap if bytes are corrupted")
    func corruption() {
        for seed in RunSeed.seeds(300) {
            var pair = StartupPair()
            pair.wire = { answer, number in
                var generator = SplitMix64(seed: seed << 8 | UInt64(number))
                guard Int.random(in: 0..<4, using: &generator) == 0 else { return answer }
                var changed = answer
                let index = Int.random(in: changed.indices, using: &generator)
                changed[index] = UInt8(truncatingIfNeeded: generator.next())
                return changed
            }
            #expect(pair.run() != .stuck, "seed \(seed)")
        }
    }
}
