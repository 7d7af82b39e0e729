// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Withdrawing a connection request")
struct CancellingStories {
    @Test("one that waits ends at once")
    func waiting() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.dial(2, .accessory(2))
        try bench.cancel(2)
        #expect(bench.outcomes == [2: .failed(.cancelled)])
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("one that is initiated ends when the controller has stopped")
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

    @Test("a link that is quicker than the cancel is reported as connected")
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

    @Test("a link that is quicker than the cancel goes to somebody else who wants it")
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

    @Test("a link that comes after the cancel was accepted is reported as connected")
    func lateRace() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        bench.reportsEnds = false
        try bench.cancel(1)
        try bench.complete(.success, .accessory(1))
        #expect(bench.outcomes == [1: .connected])
    }

    @Test("a controller that never reports the end is not waited for longer than the limit")
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

    @Test("one that is withdrawn while its initiation is being ordered is cancelled after that")
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

    @Test("one of many on the accept list leaves it, and the others go on")
    func oneOfMany() throws {
        var bench = try SchedulerBench()
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        try bench.advance(by: CentralScheduler.sliceDuration)
        try bench.cancel(2)
        #expect(bench.outcomes == [2: .failed(.cancelled)])
        #expect(Set(bench.controller.listensFor) == [.accessory(1), .accessory(3)])
    }

    @Test("one that has ended, or never was, is left alone")
    func ended() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.appear(.accessory(1))
        try bench.cancel(1)
        try bench.cancel(7)
        #expect(bench.outcomes == [1: .connected])
    }

    @Test("a refused or unanswered cancel counts as done", arguments: [true, false])
    func cancelRefused(isAnswered: Bool) throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        let result: CommandResult = isAnswered ? .complete([0x0C]) : .timedOut
        bench.planned = [({ $0 == .cancelConnection }, result)]
        try bench.cancel(1)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
    }
}
