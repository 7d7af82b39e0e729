// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("A controller that refuses")
struct RefusalStories {
    let parameters = ScanParameters()
    let invalid = HCI.ErrorCode.invalidCommandParameters

    // MARK: - Scanning

    @Test("Refused scan parameters fail the scan with the reason")
    func parametersRefused() throws {
        var bench = try SchedulerBench()
        bench.refuse(invalid, \.isSetParameters)
        try bench.scan(parameters)
        #expect(bench.announcements == [.scanFailed(.refused(invalid))])
        try bench.scan(parameters)
        #expect(bench.controller.isScanning, "another request is another attempt")
    }

    @Test("A scan command that is not answered once is repeated", arguments: [true, false])
    func scanUnansweredOnce(whileEnabling: Bool) throws {
        var bench = try SchedulerBench()
        bench.planned = [({ whileEnabling ? $0.isEnable : $0.isSetParameters }, .timedOut)]
        try bench.scan(parameters)
        #expect(bench.controller.isScanning)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan command that is never answered fails the scan", arguments: [true, false])
    func scanUnanswered(whileEnabling: Bool) throws {
        var bench = try SchedulerBench()
        bench.planned = (0..<3).map { _ in
            ({ whileEnabling ? $0.isEnable : $0.isSetParameters }, .timedOut)
        }
        try bench.scan(parameters)
        #expect(bench.announcements == [.scanFailed(.unanswered)])
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A scan that is refused because one is running is stopped and started again")
    func alreadyScanning() throws {
        var bench = try SchedulerBench()
        bench.planned = [
            (\.isSetParameters, .complete([0x0C])), ({ $0 == .disableScan }, .complete([0x00])),
        ]
        try bench.scan(parameters)
        #expect(bench.controller.isScanning)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan that is always refused is attempted a limited number of times")
    func alwaysDisallowed() throws {
        var bench = try SchedulerBench()
        bench.refuse(.commandDisallowed, times: 100) { _ in true }
        try bench.scan(parameters)
        #expect(bench.announcements == [.scanFailed(.refused(.commandDisallowed))])
        #expect(bench.orders.count < 10)
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A refused end of a scan counts as done")
    func disableRefused() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        bench.planned = [({ $0 == .disableScan }, .complete([0x0C]))]
        try bench.scan(nil)
        #expect(bench.announcements.last == .scanStateChanged(isScanning: false))
    }

    @Test("The end of a scan is reported only after the controller has answered")
    func disableUnanswered() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        bench.planned = [({ $0 == .disableScan }, .timedOut)]
        bench.answersAtOnce = false
        try bench.scan(nil)
        try bench.answer()
        #expect(bench.controller.isScanning)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
        try bench.answer()
        #expect(!bench.controller.isScanning)
        #expect(bench.announcements.last == .scanStateChanged(isScanning: false))
    }

    @Test("A controller that never answers the end of a scan is reset")
    func unstoppable() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        let limit = CentralScheduler.unansweredStopLimit
        bench.planned = (0..<limit).map { _ in ({ $0 == .disableScan }, .timedOut) }
        try bench.scan(nil)
        #expect(bench.announcements.last == .unstoppable)
        try bench.reset()
        #expect(bench.announcements.last == .scanStateChanged(isScanning: false))
        try bench.configure()
        try bench.scan(parameters)
        #expect(bench.controller.isScanning)
    }

    @Test("A controller that answers no scan command is reset once, and the scan fails")
    func deafToScan() throws {
        var bench = try SchedulerBench()
        bench.planned = (0..<20).map { _ in ({ $0.isEnable || $0 == .disableScan }, .timedOut) }
        try bench.scan(parameters)
        #expect(bench.announcements == [.unstoppable, .scanFailed(.unanswered)])
        try bench.reset()
        try bench.configure()
        #expect(bench.announcements.count == 2)
        #expect(bench.outstanding == nil)
    }

    @Test("A scan or an initiation that began without an answer is stopped")
    func lostAnswers() throws {
        var bench = try SchedulerBench()
        bench.lost = { $0.isEnable || $0.isCreate }
        try bench.dial(1, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.unanswered)])
        #expect(bench.controller.initiation == nil)
        try bench.scan(parameters)
        #expect(bench.announcements == [.scanFailed(.unanswered)])
        #expect(!bench.controller.isScanning)
    }

    // MARK: - Initiating

    @Test(
        "A refused direct connection is reported to its caller",
        arguments: [0x09, 0x0B, 0x0D, 0x12] as [UInt8]
    )
    func createRefused(code: UInt8) throws {
        var bench = try SchedulerBench()
        bench.refuse(HCI.ErrorCode(rawValue: code), \.isCreate)
        try bench.dial(1, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.refused(HCI.ErrorCode(rawValue: code)))])
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A direct connection without an answer is reported to its caller")
    func createUnanswered() throws {
        var bench = try SchedulerBench()
        bench.planned = [(\.isCreate, .timedOut)]
        try bench.dial(1, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.unanswered)])
    }

    @Test("A pending request for which there is no room waits until a link closes")
    func noRoom() throws {
        var bench = try SchedulerBench()
        bench.refuse(.connectionLimitExceeded, \.isCreate)
        try bench.stand(1, .accessory(1))
        #expect(bench.outcomes.isEmpty)
        #expect(bench.controller.initiation == nil)
        try bench.linkCloses()
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A pending request that is refused for good fails")
    func standingRefusedForGood() throws {
        var bench = try SchedulerBench()
        bench.refuse(invalid, \.isCreate)
        try bench.stand(1, .accessory(1))
        #expect(bench.outcomes == [1: .failed(.refused(invalid))])
    }

    @Test("After a refused accept list each peer is tried alone to find the cause")
    func culprit() throws {
        var bench = try SchedulerBench()
        bench.refuse(invalid) { order in
            order.target == .acceptList || order.target == .peer(.accessory(2))
        }
        bench.refuse(invalid) { $0.target == .peer(.accessory(2)) }
        bench.answersAtOnce = false
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        bench.answersAtOnce = true
        try bench.answer()
        try bench.advance(by: CentralScheduler.sliceDuration * 6)
        #expect(bench.outcomes == [2: .failed(.refused(invalid))])
        #expect(!bench.orders.suffix(3).contains { $0.target == .acceptList })
    }

    @Test("An initiation that is refused because one is active cancels that one first")
    func staleInitiation() throws {
        var bench = try SchedulerBench()
        bench.planned = [
            (\.isCreate, .status(.commandDisallowed)),
            ({ $0 == .cancelConnection }, .complete([0x00])),
        ]
        bench.answersAtOnce = true
        try bench.dial(1, .accessory(1))
        try bench.complete(.unknownConnectionIdentifier, .nobody)
        #expect(bench.controller.initiation == .peer(.accessory(1)))
        #expect(bench.outcomes.isEmpty)
    }

    @Test("An initiation that is always disallowed is attempted a limited number of times")
    func alwaysStale() throws {
        var bench = try SchedulerBench()
        bench.planned = (0..<50).flatMap { _ in
            [
                ({ $0.isCreate }, CommandResult.status(.commandDisallowed)),
                ({ $0 == .cancelConnection }, .complete([0x00])),
            ] as [(matches: (ControllerOrder) -> Bool, result: CommandResult)]
        }
        try bench.dial(1, .accessory(1))
        try bench.advance(by: .seconds(5))
        #expect(bench.outcomes == [1: .failed(.refused(.commandDisallowed))])
        #expect(bench.orders.count < 10)
    }

    // MARK: - The Filter Accept List

    @Test("Peers that do not fit into the accept list wait for their turn")
    func smallerThanItSaid() throws {
        var bench = try SchedulerBench(acceptListSize: 8)
        bench.controller.acceptListSize = 2
        bench.refuse(.memoryCapacityExceeded) { $0 == .addToAcceptList(.accessory(3)) }
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        var heard: Set<DeviceAddress> = []
        for _ in 0..<6 {
            try bench.advance(by: CentralScheduler.sliceDuration)
            heard.formUnion(bench.controller.listensFor)
        }
        #expect(heard == Set((1...3).map { .accessory($0) }))
    }

    @Test(
        "If all changes of the accept list are refused, peers are tried one by one",
        arguments: [0x01, 0x0C, 0x07]
    )
    func editsRefused(code: UInt8) throws {
        var bench = try SchedulerBench()
        bench.refuse(HCI.ErrorCode(rawValue: code), times: 100) { order in
            switch order {
            case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: true
            default: false
            }
        }
        // A disallowed change suggests that the controller is initiating, so the scheduler tries to
        // cancel that.
        let cancels = code == 0x0C ? CentralScheduler.refusalLimit : 0
        bench.refuse(.commandDisallowed, times: cancels) { $0 == .cancelConnection }
        bench.answersAtOnce = false
        for number in 1...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        var heard: Set<DeviceAddress> = []
        bench.answersAtOnce = true
        try bench.answer()
        for _ in 0..<12 {
            try bench.advance(by: CentralScheduler.sliceDuration)
            heard.formUnion(bench.controller.listensFor)
        }
        #expect(heard == Set((1...3).map { .accessory($0) }))
    }

    @Test("A change of the accept list without an answer makes the list start again")
    func editUnanswered() throws {
        var bench = try SchedulerBench()
        bench.planned = [(\.isAdd, .timedOut)]
        for number in 1...2 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        try bench.advance(by: CentralScheduler.sliceDuration)
        #expect(bench.orders.filter { $0 == .clearAcceptList }.count == 2)
        #expect(bench.controller.initiation == .acceptList)
    }

    // MARK: - Reset

    @Test("A reset fails direct requests, and all other activities resume")
    func reset() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        try bench.dial(1, .accessory(1))
        for number in 2...3 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        try bench.reset()
        #expect(bench.outcomes == [1: .failed(.controllerReset)])
        #expect(bench.announcements.last == .scanStateChanged(isScanning: false))
        #expect(bench.scheduler.nextDeadline == nil)
        try bench.configure()
        #expect(bench.controller.initiation == .acceptList)
        #expect(bench.controller.isScanning)
        #expect(bench.announcements.last == .scanStateChanged(isScanning: true))
    }

    @Test(
        "An answer from before a reset does not count after it",
        arguments: [0, 1, 2, 3, 4, 5]
    )
    func lateAnswer(answered: Int) throws {
        var bench = try SchedulerBench()
        bench.answersAtOnce = false
        try bench.scan(parameters)
        for number in 1...2 { try bench.stand(UInt64(number), .accessory(UInt64(number))) }
        for _ in 0..<answered where bench.outstanding != nil { try bench.answer() }
        let late = bench.outstanding
        try bench.reset()
        try bench.configure()
        let fresh = bench.outstanding
        if let late {
            let actions = bench.scheduler.commandFinished(late, result: .timedOut, now: bench.now)
            #expect(actions.isEmpty)
        }
        #expect(bench.outstanding == fresh)
        bench.answersAtOnce = true
        try bench.answer()
        try bench.advance(by: CentralScheduler.sliceDuration)
        #expect(bench.controller.isScanning)
        #expect(bench.controller.initiation == .acceptList)
    }

    @Test("Requests that are withdrawn without a controller end at once")
    func withdrawnWhileAway() throws {
        var bench = try SchedulerBench()
        try bench.stand(1, .accessory(1))
        try bench.reset()
        try bench.cancel(1)
        #expect(bench.outcomes == [1: .failed(.cancelled)])
    }
}
