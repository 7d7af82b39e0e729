// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Connecting")
struct ConnectingStories {
    let parameters = ConnectParameters()

    @Test("A direct request initiates to the address of the peer and ends connected")
    func direct() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        #expect(bench.orders == [.createConnection(.peer(.accessory(1)), parameters)])
        try bench.appear(.accessory(1))
        #expect(bench.outcomes == [1: .connected])
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A single pending request does without the accept list and never times out")
    func loneStanding() throws {
        var bench = try SchedulerBench()
        try bench.stand(1, .accessory(1))
        try bench.advance(by: .seconds(100_000))
        #expect(bench.orders == [.createConnection(.peer(.accessory(1)), parameters)])
        #expect(bench.outcomes.isEmpty)
        try bench.appear(.accessory(1))
        #expect(bench.outcomes == [1: .connected])
    }

    @Test("Pending requests share the accept list, and the others continue after a connection")
    func sharedAcceptList() throws {
        var bench = try SchedulerBench()
        bench.answersAtOnce = false
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        bench.answersAtOnce = true
        try bench.answer()
        // The first peer was initiated to alone. The others are waiting, so its slice ends.
        try bench.advance(by: CentralScheduler.sliceDuration)
        #expect(bench.controller.initiation == .acceptList)
        #expect(Set(bench.controller.acceptList) == Set((1...3).map { .accessory($0) }))
        try bench.appear(.accessory(2))
        #expect(bench.outcomes == [2: .connected])
        #expect(Set(bench.controller.acceptList) == [.accessory(1), .accessory(3)])
        #expect(bench.controller.initiation == .acceptList)
        #expect(bench.scheduler.nextDeadline == nil, "nobody else waits")
    }

    @Test("One link serves all requests for its address")
    func sameAddress() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.stand(2, .accessory(1))
        try bench.appear(.accessory(1))
        #expect(bench.outcomes == [1: .connected, 2: .connected])
        #expect(bench.controller.initiation == nil)
    }

    @Test("Direct requests take turns")
    func rotation() throws {
        var bench = try SchedulerBench()
        for number in 1...3 { try bench.dial(UInt64(number), .accessory(UInt64(number))) }
        try bench.advance(by: CentralScheduler.sliceDuration * 5)
        let targets = bench.orders.compactMap(\.target)
        #expect(
            targets == [1, 2, 3, 1, 2, 3].map { .peer(.accessory($0)) },
            "each comes to its turn, in order, again and again"
        )
    }

    @Test("More pending requests than the accept list holds take turns in it")
    func overfullAcceptList() throws {
        var bench = try SchedulerBench(acceptListSize: 2)
        for number in 1...5 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        var heard: Set<DeviceAddress> = []
        for _ in 0..<4 {
            heard.formUnion(bench.controller.listensFor)
            try bench.advance(by: CentralScheduler.sliceDuration)
        }
        #expect(heard == Set((1...5).map { .accessory($0) }))
    }

    @Test("Requests with other parameters have a separate turn")
    func otherParameters() throws {
        var bench = try SchedulerBench()
        var slow = ConnectParameters()
        slow.intervalMaximum = .milliseconds(500)
        try bench.stand(1, .accessory(1))
        try bench.stand(2, .accessory(2), slow)
        try bench.advance(by: CentralScheduler.sliceDuration)
        #expect(bench.orders.last == .createConnection(.peer(.accessory(2)), slow))
    }

    @Test("A new request ends a turn that has lasted long enough")
    func longTurn() throws {
        var bench = try SchedulerBench()
        try bench.stand(1, .accessory(1))
        try bench.advance(by: .seconds(60))
        try bench.dial(2, .accessory(2))
        #expect(bench.controller.initiation == .peer(.accessory(2)))
        try bench.appear(.accessory(2))
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A direct attempt that fails is reported to its caller")
    func directFailure() throws {
        var bench = try SchedulerBench()
        try bench.dial(1, .accessory(1))
        try bench.failAttempt(.connectionFailedToBeEstablished, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.refused(.connectionFailedToBeEstablished))])
    }

    @Test("A pending request that fails is retried at growing intervals")
    func standingFailure() throws {
        var bench = try SchedulerBench()
        try bench.stand(1, .accessory(1))
        for expected in [250, 500, 1000, 2000, 4000, 4000] {
            try bench.failAttempt(.connectionFailedToBeEstablished, .accessory(1))
            #expect(bench.controller.initiation == nil)
            #expect(bench.scheduler.nextDeadline == bench.now + .milliseconds(expected))
            try bench.advance(by: .milliseconds(expected))
            #expect(bench.controller.initiation == .peer(.accessory(1)))
        }
        #expect(bench.outcomes.isEmpty)
    }

    @Test("After one request fails, the others of its turn continue at once")
    func oneOfManyFails() throws {
        var bench = try SchedulerBench()
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        try bench.advance(by: CentralScheduler.sliceDuration)
        try bench.failAttempt(.connectionFailedToBeEstablished, .accessory(2))
        #expect(Set(bench.controller.listensFor) == [.accessory(1), .accessory(3)])
        try bench.advance(by: CentralScheduler.restMinimum + CentralScheduler.sliceDuration)
        #expect(Set(bench.controller.listensFor) == Set((1...3).map { .accessory($0) }))
    }

    @Test("A link without a request is reported as unexpected")
    func unexpected() throws {
        var bench = try SchedulerBench()
        try bench.complete(.success, .accessory(9))
        #expect(bench.announcements == [.unexpectedConnection(.accessory(9))])
    }

    @Test("Early requests begin when the controller is ready")
    func early() throws {
        var scheduler = CentralScheduler()
        #expect(scheduler.connect(1, to: .direct(.accessory(1)), now: .zero).isEmpty)
        #expect(scheduler.setScan(ScanParameters(), now: .zero).isEmpty)
        #expect(scheduler.nextDeadline == nil)
        var bench = try SchedulerBench()
        bench.scheduler = scheduler
        try bench.configure()
        #expect(bench.controller.isScanning)
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A request beyond the limit is refused at once")
    func limit() throws {
        var bench = try SchedulerBench()
        let limit = UInt64(CentralScheduler.requestLimit)
        for number in 1...limit { try bench.stand(number, .accessory(number)) }
        try bench.dial(limit + 1, .accessory(1))
        #expect(bench.outcomes == [limit + 1: .failed(.tooManyRequests)])
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
