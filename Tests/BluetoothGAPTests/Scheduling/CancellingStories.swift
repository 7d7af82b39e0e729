// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Withdrawing a connection request")
struct CancellingStories {
    @Test("A waiting request ends at once")
    func waiting() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.dial(2, .accessory(2))
        try bench.cancel(2)
        #expect(bench.outcomes == [2: .failed(.cancelled)])
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("An active request ends when the controller has stopped initiating")
    func running() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.reportsEnds = false
        try bench.cancel(1)
        #expect(bench.orders.last == .cancelConnection)
        #expect(bench.outcomes.isEmpty, "it may still be connected")
        try bench.complete(.unknownConnectionIdentifier, .nobody)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A link that is made before the cancel is reported as connected")
    func race() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.answersAtOnce = false
        try bench.cancel(1)
        bench.controller.connect()
        try bench.complete(.success, .accessory(1))
        #expect(bench.outcomes == [1: .connected])
        bench.refuse(.commandDisallowed) { $0 == .cancelConnection }
        try bench.answer()
        #expect(bench.outstanding == nil)
    }

    @Test("A link that is made before the cancel serves another request for the peer")
    func raceWithAnother() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.answersAtOnce = false
        try bench.cancel(1)
        try bench.dial(2, .accessory(1))
        bench.controller.connect()
        try bench.complete(.success, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.cancelled), 2: .connected])
    }

    @Test("A link that is made after the cancel was accepted is reported as connected")
    func lateRace() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.reportsEnds = false
        try bench.cancel(1)
        try bench.complete(.success, .accessory(1))
        #expect(bench.outcomes == [1: .connected])
    }

    @Test("A request ends after a time limit if the controller never reports the end")
    func noEnd() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.reportsEnds = false
        try bench.cancel(1)
        try bench.advance(by: CentralScheduler.endLimit)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
        try bench.complete(.success, .accessory(1))
        #expect(bench.announcements == [.unexpectedConnection(.accessory(1))])
        try bench.dial(2, .accessory(2))
        #expect(bench.controller.initiation == .peer(.accessory(2)))
    }

    @Test("A request that is withdrawn while its command is pending is canceled afterwards")
    func starting() throws {
        var bench = try SchedulerBench()
        bench.answersAtOnce = false
        try bench.dial(1, .accessory(1))
        try bench.cancel(1)
        #expect(bench.orders.count == 1)
        bench.answersAtOnce = true
        try bench.answer()
        #expect(bench.orders.last == .cancelConnection)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
    }

    @Test("A withdrawn request leaves the accept list, and the others continue")
    func oneOfMany() throws {
        var bench = try SchedulerBench()
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        try bench.advance(by: CentralScheduler.sliceDuration)
        try bench.cancel(2)
        #expect(bench.outcomes == [2: .failed(.cancelled)])
        #expect(Set(bench.controller.listensFor) == [.accessory(1), .accessory(3)])
    }

    @Test("Withdrawing an ended or unknown request has no effect")
    func ended() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.appear(.accessory(1))
        try bench.cancel(1)
        try bench.cancel(7)
        #expect(bench.outcomes == [1: .connected])
    }

    @Test("A refused cancel counts as done")
    func cancelRefused() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.planned = [({ $0 == .cancelConnection }, .complete([0x0C]))]
        try bench.cancel(1)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
    }

    @Test("A cancel that is not answered is repeated before the request ends")
    func cancelUnanswered() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.planned = [({ $0 == .cancelConnection }, .timedOut)]
        bench.answersAtOnce = false
        try bench.cancel(1)
        try bench.answer()
        #expect(bench.controller.initiation != nil)
        #expect(bench.outcomes.isEmpty, "the controller initiates")
        try bench.answer()
        #expect(bench.outcomes == [1: .failed(.cancelled)])
        #expect(bench.controller.initiation == nil)
        #expect(bench.scheduler.initiation == .idle)
    }

    @Test("A link that is made after a cancel without an answer belongs to the request")
    func linkAfterUnansweredCancel() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.planned = [({ $0 == .cancelConnection }, .timedOut)]
        bench.answersAtOnce = false
        try bench.cancel(1)
        try bench.answer()
        try bench.appear(.accessory(1))
        #expect(bench.outcomes == [1: .connected])
        try bench.answer()
        #expect(bench.scheduler.initiation == .idle)
    }

    @Test("A controller that never answers a cancel is reset")
    func unstoppable() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        let limit = CentralScheduler.unansweredStopLimit
        bench.planned = (0..<limit).map { _ in ({ $0 == .cancelConnection }, .timedOut) }
        try bench.cancel(1)
        #expect(bench.announcements == [.unstoppable])
        #expect(bench.outcomes.isEmpty)
        #expect(bench.outstanding == nil)
        try bench.reset()
        #expect(bench.outcomes == [1: .failed(.cancelled)])
        try bench.configure()
        try bench.dial(2, .accessory(2))
        try bench.appear(.accessory(2))
        #expect(bench.outcomes[2] == .connected)
    }
}
