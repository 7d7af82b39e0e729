// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@Suite struct TimelineTests {
    private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test("The time moves to the instant of the taken event")
    func takenEvent() {
        var timeline = EventTimeline<String>()
        timeline.schedule("later", after: .seconds(3600))
        timeline.schedule("sooner", after: .milliseconds(1))
        #expect(timeline.nextInstant == .zero + .milliseconds(1))
        #expect(timeline.next(through: .zero + .seconds(7200)) == "sooner")
        #expect(timeline.now == .zero + .milliseconds(1))
        #expect(timeline.next(through: .zero + .seconds(7200)) == "later")
        #expect(timeline.now == .zero + .seconds(3600))
    }

    @Test("An event beyond the end stays in the timeline")
    func laterEvent() {
        var timeline = EventTimeline<String>()
        timeline.schedule("late", at: instant(11))
        #expect(timeline.next(through: instant(10)) == nil)
        #expect(timeline.now == .zero)
        #expect(timeline.eventCount == 1)
        #expect(timeline.next(through: instant(11)) == "late")
    }

    @Test("An event scheduled for the past is due now")
    func pastEvent() {
        var timeline = EventTimeline<Int>()
        timeline.advance(to: instant(100))
        timeline.schedule(1, at: instant(100))
        timeline.schedule(2, at: instant(5))
        #expect(timeline.next(through: instant(100)) == 1)
        #expect(timeline.next(through: instant(100)) == 2)
        #expect(timeline.now == instant(100))
    }

    @Test("The time neither goes back nor passes an event")
    func advance() {
        var timeline = EventTimeline<Int>()
        timeline.schedule(1, at: instant(50))
        timeline.advance(to: instant(80))
        #expect(timeline.now == instant(50))
        timeline.advance(to: instant(20))
        #expect(timeline.now == instant(50))
    }

    @Test("During an event, time can pass until another event or the end of the run")
    func pass() {
        var timeline = EventTimeline<Int>()
        timeline.schedule(1, at: instant(10))
        timeline.schedule(2, at: instant(50))
        #expect(timeline.next(through: instant(80)) == 1)
        var passes = [40, 40, 30, 49, 50, 51].map { timeline.pass(to: instant($0)) }
        #expect(passes == [true, false, false, true, false, false])
        #expect(timeline.now == instant(49))
        #expect(timeline.next(through: instant(80)) == 2)
        passes = [80, 81].map { timeline.pass(to: instant($0)) }
        #expect(passes == [true, false])
        #expect(timeline.now == instant(80))
    }

    @Test("A canceled event does not occur")
    func canceledEvent() throws {
        var timeline = EventTimeline<Int>()
        let scheduled = timeline.schedule(1, at: instant(1))
        let token = try #require(scheduled)
        #expect(timeline.cancel(token) == 1)
        #expect(timeline.cancel(token) == nil)
        #expect(timeline.next(through: instant(9)) == nil)
    }

    @Test("The timeline counts refused events")
    func refusedEvents() {
        var timeline = EventTimeline<Int>(eventLimit: 1)
        #expect(timeline.schedule(1, at: instant(1)) != nil)
        #expect(timeline.schedule(2, at: instant(1)) == nil)
        #expect(timeline.refusedCount == 1)
    }

    @Test("Too many events at one instant stall the timeline")
    func stall() {
        var timeline = EventTimeline<Int>(instantLimit: 3)
        for number in 0..<5 { timeline.schedule(number, at: instant(1)) }
        #expect(timeline.next(through: instant(1)) == 0)
        #expect(timeline.next(through: instant(1)) == 1)
        #expect(!timeline.isStalled)
        #expect(timeline.next(through: instant(1)) == 2)
        #expect(timeline.isStalled)
        #expect(timeline.next(through: instant(1)) == nil)
    }

    @Test("Each instant has its own count of events")
    func nextInstant() {
        var timeline = EventTimeline<Int>(instantLimit: 2)
        for number in 0..<6 { timeline.schedule(number, at: instant(Int64(number / 2))) }
        for number in 0..<6 { #expect(timeline.next(through: instant(9)) == number) }
        #expect(!timeline.isStalled)
    }
}
