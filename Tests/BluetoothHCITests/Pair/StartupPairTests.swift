// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("Start-up over the wire") struct StartupPairTests {
    /// More commands than start-up sends.
    static let points = 0..<24

    private func isReady(_ outcome: StartupPair.Outcome) -> Bool {
        if case .ended(.ready) = outcome { return true }
        return false
    }

    private func isTimedOut(_ outcome: StartupPair.Outcome) -> Bool {
        if case .ended(.failed(.commandFailed(_, .timedOut))) = outcome { return true }
        return false
    }

    @Test("ends at the same controller however its bytes arrive", arguments: [1, 2, 3, 7, .max])
    func dripFeed(pieceLength: Int) {
        var whole = StartupPair()
        var dripping = StartupPair()
        dripping.pieceLength = pieceLength
        let outcome = whole.run()
        #expect(isReady(outcome))
        #expect(dripping.run() == outcome)
        #expect(dripping.now == .zero, "nothing had to be waited for")
    }

    @Test("ends within five seconds when the controller falls silent at any point")
    func silence() {
        for point in Self.points {
            var pair = StartupPair()
            pair.wire = { answer, number in number < point ? answer : [] }
            let outcome = pair.run()
            let isClear = outcome == .unresponsive || isTimedOut(outcome) || isReady(outcome)
            #expect(isClear, "silent from \(point): \(outcome)")
            #expect(pair.now <= Instant.zero + .seconds(5))
        }
    }

    @Test("does without any one answer that gets lost, or says which one it needs")
    func oneLostAnswer() {
        for point in Self.points {
            var pair = StartupPair()
            pair.wire = { answer, number in number == point ? [] : answer }
            let outcome = pair.run()
            if point < 3 {
                #expect(isTimedOut(outcome), "lost \(point): \(outcome)")
            } else {
                #expect(isReady(outcome), "lost \(point): \(outcome)")
            }
        }
    }

    @Test("does not mind answers that come twice", arguments: points)
    func doubledAnswer(point: Int) {
        var pair = StartupPair()
        pair.wire = { answer, number in number == point ? answer + answer : answer }
        #expect(isReady(pair.run()))
    }

    @Test("does not mind events in between that nobody knows", arguments: points)
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

    @Test("waits for a controller that lets one command in only after a while")
    func grudging() {
        let closed: @Sendable ([UInt8], Int) -> [UInt8] = { answer, _ in
            var answer = answer
            answer[3] = 0  // How many commands it allows.
            return answer
        }
        var pair = StartupPair()
        pair.wire = closed
        #expect(isReady(pair.run()))
        #expect(pair.now > .zero)
    }

    @Test("fails clearly on a stream that lost its framing, at any point", arguments: points)
    func garbage(point: Int) {
        var pair = StartupPair()
        pair.wire = { answer, number in number == point ? [0x00] + answer : answer }
        let outcome = pair.run()
        #expect(outcome == .lostFraming(.unknownPacketType(0)) || isReady(outcome))
    }

    @Test("ends, and never traps, whatever bytes are changed on the way")
    func corruption() {
        for seed in 0..<300 as Range<UInt64> {
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
