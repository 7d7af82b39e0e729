// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("The reservations of a radio")
struct RadioScheduleTests {
    private let one = LinkID(rawValue: 1)
    private let other = LinkID(rawValue: 2)

    /// Reserves the radio. An argument of `#expect` cannot call a mutating method.
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

    @Test("Reservations do not overlap")
    func oneThing() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20))
        #expect(!reserves(&schedule, 19, 30))
        #expect(!reserves(&schedule, 0, 11, for: one))
        #expect(reserves(&schedule, 20, 30))
        #expect(reserves(&schedule, 0, 10))
    }

    @Test("A link can extend its own reservation")
    func sameLink() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20, for: one))
        #expect(reserves(&schedule, 10, 40, for: one))
        #expect(!schedule.isFree(from: at(30), to: at(35)))
        #expect(schedule.isFree(from: at(30), to: at(35), for: one))
    }

    @Test("A more urgent reservation replaces a reservation that has not begun")
    func urgency() {
        var schedule = RadioSchedule()
        #expect(reserves(&schedule, 10, 20, for: one, urgency: 1))
        #expect(!reserves(&schedule, 15, 25, for: other, urgency: 1))
        #expect(!reserves(&schedule, 15, 25, for: other, urgency: 2, now: 10))
        #expect(reserves(&schedule, 15, 25, for: other, urgency: 2, now: 9))
        #expect(schedule.isFree(from: at(10), to: at(15)))
    }

    @Test("A reservation without a link is not replaced")
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

    @Test("After the end of a link, its radio is free")
    func releaseOfEndedLink() {
        var schedule = RadioSchedule()
        schedule.reserve(from: at(10), to: at(20), for: one, now: at(0))
        schedule.release(one, from: at(15))
        schedule.reserve(from: at(500), to: at(520), for: one, now: at(15))
        schedule.reserve(from: at(500), to: at(520), for: other, now: at(15))
        schedule.reserve(from: at(600), to: at(620), for: other, now: at(15))
        schedule.releaseAll(of: one, from: at(30))
        #expect(schedule.isFree(from: at(30), to: at(599)))
        #expect(!schedule.isFree(from: at(600), to: at(610)))
    }

    @Test("A schedule has the same results as a full search", arguments: RunSeed.seeds(20))
    func sameAnswers(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var schedule = RadioSchedule()
        var model = ReservationList()
        var now: Int64 = 0
        for _ in 0..<2_000 {
            now += Int64.random(in: 0...40, using: &generator)
            let link = LinkID(rawValue: .random(in: 0..<6, using: &generator))
            let start =
                now + (Bool.random(using: &generator) ? 0 : .random(in: 0...600, using: &generator))
            let end = start + .random(in: 1...60, using: &generator)
            let name = link.rawValue == 0 ? nil : link
            let urgency = Int.random(in: 0...3, using: &generator)
            if Int.random(in: 0..<3, using: &generator) == 0 {
                schedule.release(link, from: at(now))
                model.release(link, from: now)
            } else {
                let isReserved = reserves(
                    &schedule,
                    start,
                    end,
                    for: name,
                    urgency: urgency,
                    now: now
                )
                #expect(isReserved == model.reserve(start, end, name, urgency, now: now))
            }
            let from = now + .random(in: -30...600, using: &generator)
            let isFree = schedule.isFree(from: at(from), to: at(from + 7), for: name)
            #expect(isFree == !model.isBusy(from, from + 7, name))
        }
    }

    @Test("Past reservations are stored for a limited time and in a limited number")
    func memory() {
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

/// A simple form of `RadioSchedule`, in microseconds, that keeps all reservations.
private struct ReservationList {
    private struct Reservation {
        let start: Int64
        var end: Int64
        let link: LinkID?
        let urgency: Int
    }

    private var reservations: [Reservation] = []

    func isBusy(_ start: Int64, _ end: Int64, _ link: LinkID?) -> Bool {
        !overlapping(start, end, link).isEmpty
    }

    private func overlapping(_ start: Int64, _ end: Int64, _ link: LinkID?) -> [Int] {
        reservations.indices.filter {
            let other = reservations[$0]
            return other.start < end && other.end > start && (link == nil || other.link != link)
        }
    }

    mutating func reserve(
        _ start: Int64,
        _ end: Int64,
        _ link: LinkID?,
        _ urgency: Int,
        now: Int64
    ) -> Bool {
        let overlapping = overlapping(start, end, link)
        let areWeaker = overlapping.allSatisfy {
            let reservation = reservations[$0]
            return reservation.link != nil && reservation.urgency < urgency
                && reservation.start > now
        }
        guard areWeaker else { return false }
        for place in overlapping.reversed() { reservations.remove(at: place) }
        // A gap of a frame space, 150 µs, is bridged.
        let earlier = reservations.indices.filter {
            link != nil && reservations[$0].link == link && reservations[$0].start <= start
                && reservations[$0].end + 150 >= start
        }
        if let place = earlier.max(by: { reservations[$0].start < reservations[$1].start }) {
            reservations[place].end = max(reservations[place].end, end)
        } else {
            reservations.append(Reservation(start: start, end: end, link: link, urgency: urgency))
        }
        return true
    }

    mutating func release(_ link: LinkID, from instant: Int64) {
        reservations.removeAll { $0.link == link && $0.start >= instant }
        for place in reservations.indices where reservations[place].link == link {
            reservations[place].end = min(reservations[place].end, instant)
        }
    }
}
