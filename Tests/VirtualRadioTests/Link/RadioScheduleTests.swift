// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("The reservations of a radio")
struct RadioScheduleTests {
    private let one = LinkID(rawValue: 1)
    private let other = LinkID(rawValue: 2)

    /// Reserves the radio, because a macro's operand may not mutate it.
    private func reserves(
        _ schedule: inout RadioSchedule,
        _ start: Int64,
        _ end: Int64,
        for link: LinkID? = nil,
        urgency: Int = 0,
        now: Int64 = 0
    ) -> Bool {
        schedule.reserve(from: at(start), to: at(end), for: link, urgency: urgency, now: at(now))
    }

    private func at(_ microseconds: Int64) -> Instant { .zero + .microseconds(microseconds) }

    @Test("A radio does one thing at a time")
    func oneThing() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20))
        #expect(!reserves(&schedule, 19, 30))
        #expect(!reserves(&schedule, 0, 11, for: one))
        #expect(reserves(&schedule, 20, 30))
        #expect(reserves(&schedule, 0, 10))
    }

    @Test("A link may replace its own reservation")
    func sameLink() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20, for: one))
        #expect(reserves(&schedule, 10, 40, for: one))
        #expect(!schedule.isFree(from: at(30), to: at(35)))
        #expect(schedule.isFree(from: at(30), to: at(35), for: one))
    }

    @Test("A more urgent reservation goes first unless the other has begun")
    func urgency() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20, for: one, urgency: 1))
        #expect(!reserves(&schedule, 15, 25, for: other, urgency: 1))
        #expect(!reserves(&schedule, 15, 25, for: other, urgency: 2, now: 10))
        #expect(reserves(&schedule, 15, 25, for: other, urgency: 2, now: 9))
        #expect(schedule.isFree(from: at(10), to: at(15)))
    }

    @Test("Only links yield to a more urgent reservation")
    func othersStay() {
        var schedule = RadioSchedule()
        schedule.reserve(from: at(10), to: at(20), now: at(0))
        #expect(!reserves(&schedule, 10, 20, for: one, urgency: 9))
    }

    @Test("A released reservation leaves the radio free")
    func release() {
        var schedule = RadioSchedule()
        schedule.reserve(from: at(10), to: at(20), for: one, now: at(0))
        schedule.reserve(from: at(500), to: at(520), for: one, now: at(0))
        schedule.release(one, from: at(15))
        #expect(!schedule.isFree(from: at(10), to: at(15)))
        #expect(schedule.isFree(from: at(15), to: at(1_000)))
    }

    @Test("Past reservations are kept for a limited time and number")
    func retention() {
        var schedule = RadioSchedule()
        for number in Int64(0)..<1_000 {
            let start = number * 1_000
            #expect(reserves(&schedule, start, start + 500, now: start))
        }
        #expect(!schedule.isFree(from: at(980_000), to: at(980_100)))
        #expect(schedule.isFree(from: at(900_000), to: at(900_100)))
        let last = Int64(RadioSchedule.reservationLimit)
        for number in 0...last {
            let start = 2_000_000 + number * 10
            #expect(reserves(&schedule, start, start + 5, now: 2_000_000))
        }
        let isForgotten = schedule.isFree(from: at(2_000_000), to: at(2_000_005))
        #expect(isForgotten)
        let latest = 2_000_000 + last * 10
        let isKept = !schedule.isFree(from: at(latest), to: at(latest + 5))
        #expect(isKept)
    }
}
