// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// The records of attempts.
struct AttemptLogTests {
    @Test("A record contains the duration of each phase")
    func phaseDurations() throws {
        var log = AttemptLog()
        log.enter(.waitingForSlot, by: .direct, at: .seconds(1))
        log.enter(.connecting, by: .direct, at: .seconds(3))
        log.enter(.connecting, by: .direct, at: .seconds(4))
        log.rssi = -71
        log.slots = AttemptRecord.Slots(inUse: 2, limit: 5)
        let closed = log.close(with: .strange, next: .slot, at: .seconds(13))
        let record = try #require(closed)
        #expect(record.number == 1)
        #expect(record.began == .seconds(1))
        #expect(
            record.steps == [
                AttemptRecord.Step(.waitingForSlot, .seconds(2)),
                AttemptRecord.Step(.connecting, .seconds(10)),
            ]
        )
        #expect(record.duration == .seconds(12))
        #expect(record.reached == .connecting)
        #expect(
            record.description
                == "attempt 1, direct, at -71 dBm, 2 of 5 links: waiting for a slot 2.00 s, "
                + "connecting 10.00 s; failed: an unknown cause (CBError 0); next when there is a slot"
        )
    }

    @Test("Without a limit, the text of the slots is only the number in use")
    func slotsWithoutLimit() {
        #expect(AttemptRecord.Slots(inUse: 3, limit: 5).description == "3 of 5")
        #expect(AttemptRecord.Slots(inUse: 3, limit: nil).description == "3")
    }

    @Test("A repeated phase adds to its first duration")
    func repeatedPhase() throws {
        var log = AttemptLog()
        for second in 0..<100 {
            let phase: AttemptRecord.Phase =
                second % 2 == 0 ? .discoveringServices : .discoveringCharacteristics
            log.enter(phase, by: .renewal, at: .seconds(second))
        }
        let closed = log.close(with: nil, next: .ready, at: .seconds(100))
        let record = try #require(closed)
        #expect(record.steps.map(\.duration) == [.seconds(50), .seconds(50)])
    }

    @Test("The end of a link does not count as the furthest phase of an attempt")
    func furthestPhase() throws {
        var log = AttemptLog()
        log.enter(.subscribing, by: .renewal, at: .zero)
        log.enter(.ending, by: .renewal, at: .zero)
        let closed = log.close(with: nil, next: .ready, at: .zero)
        let record = try #require(closed)
        #expect(record.reached == .subscribing)
    }

    @Test("The log keeps only the latest records")
    func recordLimit() {
        var log = AttemptLog()
        for _ in 1...(AttemptLog.limit + 10) {
            log.enter(.connecting, by: .direct, at: .zero)
            _ = log.close(with: nil, next: .ready, at: .zero)
        }
        #expect(log.records.count == AttemptLog.limit)
        #expect(log.records.first?.number == 11)
        #expect(log.records.last?.number == AttemptLog.limit + 10)
    }

    @Test("Closing the log without an attempt returns no record")
    func closeWithoutAttempt() {
        var log = AttemptLog()
        #expect(log.close(with: nil, next: .ready, at: .zero) == nil)
    }

    @Test(
        "A duration is printed in seconds with two decimal places",
        arguments: [
            (Duration.zero, "0.00 s"), (.milliseconds(50), "0.05 s"),
            (.milliseconds(1234), "1.23 s"),
            (.seconds(75), "75.00 s"), (.milliseconds(1999), "2.00 s"),
        ]
    )
    func durationTexts(duration: Duration, text: String) {
        #expect(duration.inSeconds == text)
    }
}
