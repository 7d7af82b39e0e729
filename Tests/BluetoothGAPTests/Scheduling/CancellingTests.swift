// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Canceling a connection request")
struct CancellingTests {
    @Test("A waiting request ends at once")
    func waiting() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        try harness.requestConnection(2, .accessory(2))
        try harness.cancel(2)
        #expect(harness.outcomes == [2: .failed(.cancelled)])
        #expect(harness.controller.initiation == .peer(.accessory(1)))
    }

    @Test("An active request ends when the controller has stopped initiating")
    func running() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.reportsEnds = false
        try harness.cancel(1)
        #expect(harness.operations.last == .cancelConnection)
        #expect(
            harness.outcomes.isEmpty,
            "The request is pending because the peer may still connect"
        )
        try harness.complete(.unknownConnectionIdentifier, .noPeer)
        #expect(harness.outcomes == [1: .failed(.cancelled)])
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A link that is made before the cancel is reported as connected")
    func race() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.answersAtOnce = false
        try harness.cancel(1)
        harness.controller.connect()
        try harness.complete(.success, .accessory(1))
        #expect(harness.outcomes == [1: .connected])
        harness.refuse(.commandDisallowed) { $0 == .cancelConnection }
        try harness.answer()
        #expect(harness.outstanding == nil)
    }

    @Test("A link that is made before the cancel serves another request for the peer")
    func raceWithAnother() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.answersAtOnce = false
        try harness.cancel(1)
        try harness.requestConnection(2, .accessory(1))
        harness.controller.connect()
        try harness.complete(.success, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.cancelled), 2: .connected])
    }

    @Test("A link that is made after the cancel was accepted is reported as connected")
    func lateRace() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.reportsEnds = false
        try harness.cancel(1)
        try harness.complete(.success, .accessory(1))
        #expect(harness.outcomes == [1: .connected])
    }

    @Test("A request ends after a time limit if the controller never reports the end")
    func noEnd() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.reportsEnds = false
        try harness.cancel(1)
        try harness.advance(by: CentralScheduler.endLimit)
        #expect(harness.outcomes == [1: .failed(.cancelled)])
        try harness.complete(.success, .accessory(1))
        #expect(harness.announcements == [.unexpectedConnection(.accessory(1))])
        try harness.requestConnection(2, .accessory(2))
        #expect(harness.controller.initiation == .peer(.accessory(2)))
    }

    @Test("A request that is canceled while its command is pending ends after the command")
    func starting() throws {
        var harness = try SchedulerHarness()
        harness.answersAtOnce = false
        try harness.requestConnection(1, .accessory(1))
        try harness.cancel(1)
        #expect(harness.operations.count == 1)
        harness.answersAtOnce = true
        try harness.answer()
        #expect(harness.operations.last == .cancelConnection)
        #expect(harness.outcomes == [1: .failed(.cancelled)])
    }

    @Test("A canceled request leaves the Filter Accept List, and the other requests continue")
    func oneOfMany() throws {
        var harness = try SchedulerHarness()
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.advance(by: CentralScheduler.sliceDuration)
        try harness.cancel(2)
        #expect(harness.outcomes == [2: .failed(.cancelled)])
        #expect(Set(harness.controller.listensFor) == [.accessory(1), .accessory(3)])
    }

    @Test("Canceling an ended or unknown request has no effect")
    func ended() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        try harness.appear(.accessory(1))
        try harness.cancel(1)
        try harness.cancel(7)
        #expect(harness.outcomes == [1: .connected])
    }

    @Test("A refused cancel counts as done")
    func cancelRefused() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.planned = [({ $0 == .cancelConnection }, .complete([0x0C]))]
        try harness.cancel(1)
        #expect(harness.outcomes == [1: .failed(.cancelled)])
    }

    @Test("A cancel that is not answered is repeated before the request ends")
    func cancelUnanswered() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.planned = [({ $0 == .cancelConnection }, .timedOut)]
        harness.answersAtOnce = false
        try harness.cancel(1)
        try harness.answer()
        #expect(harness.controller.initiation != nil)
        #expect(harness.outcomes.isEmpty, "The controller is initiating")
        try harness.answer()
        #expect(harness.outcomes == [1: .failed(.cancelled)])
        #expect(harness.controller.initiation == nil)
        #expect(harness.scheduler.initiation == .idle)
    }

    @Test("A link that is made after a cancel without an answer belongs to the request")
    func linkAfterUnansweredCancel() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        harness.planned = [({ $0 == .cancelConnection }, .timedOut)]
        harness.answersAtOnce = false
        try harness.cancel(1)
        try harness.answer()
        try harness.appear(.accessory(1))
        #expect(harness.outcomes == [1: .connected])
        try harness.answer()
        #expect(harness.scheduler.initiation == .idle)
    }

    @Test("A controller that never answers a cancel is reset")
    func unstoppable() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        let limit = CentralScheduler.unansweredStopLimit
        harness.planned = (0..<limit).map { _ in ({ $0 == .cancelConnection }, .timedOut) }
        try harness.cancel(1)
        #expect(harness.announcements == [.unstoppable])
        #expect(harness.outcomes.isEmpty)
        #expect(harness.outstanding == nil)
        try harness.reset()
        #expect(harness.outcomes == [1: .failed(.cancelled)])
        try harness.configure()
        try harness.requestConnection(2, .accessory(2))
        try harness.appear(.accessory(2))
        #expect(harness.outcomes[2] == .connected)
    }
}
