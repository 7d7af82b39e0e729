// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@Suite struct TimelineTests {
    private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test func timeJumpsToTheEventThatIsTaken() {
        var timeline = Timeline<String>()
        timeline.schedule("later", after: .seconds(3600))
        timeline.schedule("sooner", after: .milliseconds(1))
        #expect(timeline.nextInstant == .zero + .milliseconds(1))
        #expect(timeline.next(through: .zero + .seconds(7200)) == "sooner")
        #expect(timeline.now == .zero + .milliseconds(1))
        #expect(timeline.next(through: .zero + .seconds(7200)) == "later")
        #expect(timeline.now == .zero + .seconds(3600))
    }

    @Test func anEventBeyondTheEndStaysAndSoDoesThePresent() {
        var timeline = Timeline<String>()
        timeline.schedule("late", at: instant(11))
        #expect(timeline.next(through: instant(10)) == nil)
        #expect(timeline.now == .zero)
        #expect(timeline.eventCount == 1)
        #expect(timeline.next(through: instant(11)) == "late")
    }

    @Test func whatIsScheduledForThePastIsDueNow() {
        var timeline = Timeline<Int>()
        timeline.advance(to: instant(100))
        timeline.schedule(1, at: instant(100))
        timeline.schedule(2, at: instant(5))
        #expect(timeline.next(through: instant(100)) == 1)
        #expect(timeline.next(through: instant(100)) == 2)
        #expect(timeline.now == instant(100))
    }

    @Test func thePresentNeverGoesBackAndNeverPassesAnEvent() {
        var timeline = Timeline<Int>()
        timeline.schedule(1, at: instant(50))
        timeline.advance(to: instant(80))
        #expect(timeline.now == instant(50))
        timeline.advance(to: instant(20))
        #expect(timeline.now == instant(50))
    }

    @Test func aCancelledEventDoesNotHappen() throws {
        var timeline = Timeline<Int>()
        let scheduled = timeline.schedule(1, at: instant(1))
        let token = try #require(scheduled)
        #expect(timeline.cancel(token) == 1)
        #expect(timeline.cancel(token) == nil)
        #expect(timeline.next(through: instant(9)) == nil)
    }

    @Test func refusedEventsAreCounted() {
        var timeline = Timeline<Int>(eventLimit: 1)
        #expect(timeline.schedule(1, at: instant(1)) != nil)
        #expect(timeline.schedule(2, at: instant(1)) == nil)
        #expect(timeline.refusedCount == 1)
    }

    @Test func anInstantWithoutEndStallsTheTimeline() {
        var timeline = Timeline<Int>(instantLimit: 3)
        for number in 0..<5 { timeline.schedule(number, at: instant(1)) }
        #expect(timeline.next(through: instant(1)) == 0)
        #expect(timeline.next(through: instant(1)) == 1)
        #expect(!timeline.isStalled)
        #expect(timeline.next(through: instant(1)) == 2)
        #expect(timeline.isStalled)
        #expect(timeline.next(through: instant(1)) == nil)
    }

    @Test func theNextInstantCountsAnew() {
        var timeline = Timeline<Int>(instantLimit: 2)
        for number in 0..<6 { timeline.schedule(number, at: instant(Int64(number / 2))) }
        for number in 0..<6 { #expect(timeline.next(through: instant(9)) == number) }
        #expect(!timeline.isStalled)
    }
}
