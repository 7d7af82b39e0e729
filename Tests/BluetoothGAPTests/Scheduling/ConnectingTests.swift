// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Connecting")
struct ConnectingTests {
    let parameters = ConnectParameters()

    @Test("A direct request initiates to the address of the peer and ends with the link")
    func direct() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        #expect(harness.operations == [.createConnection(.peer(.accessory(1)), parameters)])
        try harness.appear(.accessory(1))
        #expect(harness.outcomes == [1: .connected])
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A single pending request needs no Filter Accept List and never times out")
    func lonePending() throws {
        var harness = try SchedulerHarness()
        try harness.addPendingRequest(1, .accessory(1))
        try harness.advance(by: .seconds(100_000))
        #expect(harness.operations == [.createConnection(.peer(.accessory(1)), parameters)])
        #expect(harness.outcomes.isEmpty)
        try harness.appear(.accessory(1))
        #expect(harness.outcomes == [1: .connected])
    }

    @Test("Pending requests share the Filter Accept List, and a connection ends only its request")
    func sharedAcceptList() throws {
        var harness = try SchedulerHarness()
        harness.answersAtOnce = false
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        harness.answersAtOnce = true
        try harness.answer()
        // The controller initiates to the first peer alone. Its slice ends because other requests
        // are waiting.
        try harness.advance(by: CentralScheduler.sliceDuration)
        #expect(harness.controller.initiation == .acceptList)
        #expect(Set(harness.controller.acceptList) == Set((1...3).map { .accessory($0) }))
        try harness.appear(.accessory(2))
        #expect(harness.outcomes == [2: .connected])
        #expect(Set(harness.controller.acceptList) == [.accessory(1), .accessory(3)])
        #expect(harness.controller.initiation == .acceptList)
        #expect(harness.scheduler.nextDeadline == nil, "No request waits for a turn")
    }

    @Test("One link serves all requests for its address")
    func sameAddress() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        try harness.addPendingRequest(2, .accessory(1))
        try harness.appear(.accessory(1))
        #expect(harness.outcomes == [1: .connected, 2: .connected])
        #expect(harness.controller.initiation == nil)
    }

    @Test("Direct requests take turns")
    func rotation() throws {
        var harness = try SchedulerHarness()
        for number in 1...3 {
            try harness.requestConnection(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.advance(by: CentralScheduler.sliceDuration * 5)
        let targets = harness.operations.compactMap(\.target)
        #expect(
            targets == [1, 2, 3, 1, 2, 3].map { .peer(.accessory($0)) },
            "The requests take turns in their order"
        )
    }

    @Test("If the Filter Accept List cannot hold all pending requests, they take turns in it")
    func overfullAcceptList() throws {
        var harness = try SchedulerHarness(acceptListSize: 2)
        for number in 1...5 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        var listened: Set<DeviceAddress> = []
        for _ in 0..<4 {
            listened.formUnion(harness.controller.listensFor)
            try harness.advance(by: CentralScheduler.sliceDuration)
        }
        #expect(listened == Set((1...5).map { .accessory($0) }))
    }

    @Test("Requests with other parameters have a separate turn")
    func otherParameters() throws {
        var harness = try SchedulerHarness()
        var slow = ConnectParameters()
        slow.intervalMaximum = .milliseconds(500)
        try harness.addPendingRequest(1, .accessory(1))
        try harness.addPendingRequest(2, .accessory(2), slow)
        try harness.advance(by: CentralScheduler.sliceDuration)
        #expect(harness.operations.last == .createConnection(.peer(.accessory(2)), slow))
    }

    @Test("A new request ends a turn that has lasted for its minimum time")
    func longTurn() throws {
        var harness = try SchedulerHarness()
        try harness.addPendingRequest(1, .accessory(1))
        try harness.advance(by: .seconds(60))
        try harness.requestConnection(2, .accessory(2))
        #expect(harness.controller.initiation == .peer(.accessory(2)))
        try harness.appear(.accessory(2))
        #expect(harness.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A direct attempt that fails is reported to its caller")
    func directFailure() throws {
        var harness = try SchedulerHarness()
        try harness.requestConnection(1, .accessory(1))
        try harness.failAttempt(.connectionFailedToBeEstablished, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.refused(.connectionFailedToBeEstablished))])
    }

    @Test("A pending request that fails is retried at growing intervals")
    func pendingFailure() throws {
        var harness = try SchedulerHarness()
        try harness.addPendingRequest(1, .accessory(1))
        for expected in [250, 500, 1000, 2000, 4000, 4000] {
            try harness.failAttempt(.connectionFailedToBeEstablished, .accessory(1))
            #expect(harness.controller.initiation == nil)
            #expect(harness.scheduler.nextDeadline == harness.now + .milliseconds(expected))
            try harness.advance(by: .milliseconds(expected))
            #expect(harness.controller.initiation == .peer(.accessory(1)))
        }
        #expect(harness.outcomes.isEmpty)
    }

    @Test("After one request fails, the other requests of its turn continue at once")
    func oneOfManyFails() throws {
        var harness = try SchedulerHarness()
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.advance(by: CentralScheduler.sliceDuration)
        try harness.failAttempt(.connectionFailedToBeEstablished, .accessory(2))
        #expect(Set(harness.controller.listensFor) == [.accessory(1), .accessory(3)])
        try harness.advance(by: CentralScheduler.backoffMinimum + CentralScheduler.sliceDuration)
        #expect(Set(harness.controller.listensFor) == Set((1...3).map { .accessory($0) }))
    }

    @Test("A link without a request is reported as unexpected")
    func unexpected() throws {
        var harness = try SchedulerHarness()
        try harness.complete(.success, .accessory(9))
        #expect(harness.announcements == [.unexpectedConnection(.accessory(9))])
    }

    @Test("Early requests begin when the controller is ready")
    func early() throws {
        var scheduler = CentralScheduler()
        #expect(scheduler.connect(1, to: .direct(.accessory(1)), now: .zero).isEmpty)
        #expect(scheduler.setScan(ScanParameters(), now: .zero).isEmpty)
        #expect(scheduler.nextDeadline == nil)
        var harness = try SchedulerHarness()
        harness.scheduler = scheduler
        try harness.configure()
        #expect(harness.controller.isScanning)
        #expect(harness.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A request beyond the limit is refused at once")
    func limit() throws {
        var harness = try SchedulerHarness()
        let limit = UInt64(CentralScheduler.requestLimit)
        for number in 1...limit { try harness.addPendingRequest(number, .accessory(number)) }
        try harness.requestConnection(limit + 1, .accessory(1))
        #expect(harness.outcomes == [limit + 1: .failed(.tooManyRequests)])
    }

    @Test("A request with the identifier of another one traps")
    func usedIdentifier() async {
        await #expect(processExitsWith: .failure) {
            var scheduler = CentralScheduler()
            _ = scheduler.connect(1, to: .direct(.accessory(1)), now: .zero)
            _ = scheduler.connect(1, to: .direct(.accessory(2)), now: .zero)
        }
    }
}
