// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("A controller that refuses")
struct RefusalTests {
    let parameters = ScanParameters()
    let invalid = HCI.ErrorCode.invalidCommandParameters

    // MARK: - Scanning

    @Test("Refused scan parameters fail the scan with the reason")
    func parametersRefused() throws {
        var harness = try SchedulerHarness()
        harness.refuse(invalid, \.isSetParameters)
        try harness.scan(parameters)
        #expect(harness.announcements == [.scanFailed(.refused(invalid))])
        try harness.scan(parameters)
        #expect(harness.controller.isScanning, "Another request causes another attempt")
    }

    @Test("A scan command is repeated if the first is not answered", arguments: [true, false])
    func scanUnansweredOnce(whileEnabling: Bool) throws {
        var harness = try SchedulerHarness()
        harness.planned = [({ whileEnabling ? $0.isEnable : $0.isSetParameters }, .timedOut)]
        try harness.scan(parameters)
        #expect(harness.controller.isScanning)
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan command that is never answered fails the scan", arguments: [true, false])
    func scanUnanswered(whileEnabling: Bool) throws {
        var harness = try SchedulerHarness()
        harness.planned = (0..<3).map { _ in
            ({ whileEnabling ? $0.isEnable : $0.isSetParameters }, .timedOut)
        }
        try harness.scan(parameters)
        #expect(harness.announcements == [.scanFailed(.unanswered)])
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A scan that is refused because a scan is running is stopped and started again")
    func alreadyScanning() throws {
        var harness = try SchedulerHarness()
        harness.planned = [
            (\.isSetParameters, .complete([0x0C])), ({ $0 == .disableScan }, .complete([0x00])),
        ]
        try harness.scan(parameters)
        #expect(harness.controller.isScanning)
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan that is always refused is attempted a limited number of times")
    func alwaysDisallowed() throws {
        var harness = try SchedulerHarness()
        harness.refuse(.commandDisallowed, times: 100) { _ in true }
        try harness.scan(parameters)
        #expect(harness.announcements == [.scanFailed(.refused(.commandDisallowed))])
        #expect(harness.operations.count < 10)
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A refused end of a scan counts as done")
    func disableRefused() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        harness.planned = [({ $0 == .disableScan }, .complete([0x0C]))]
        try harness.scan(nil)
        #expect(harness.announcements.last == .scanStateChanged(isScanning: false))
    }

    @Test("The end of a scan is reported only after the controller has answered")
    func disableUnanswered() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        harness.planned = [({ $0 == .disableScan }, .timedOut)]
        harness.answersAtOnce = false
        try harness.scan(nil)
        try harness.answer()
        #expect(harness.controller.isScanning)
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
        try harness.answer()
        #expect(!harness.controller.isScanning)
        #expect(harness.announcements.last == .scanStateChanged(isScanning: false))
    }

    @Test("A controller that never answers the end of a scan is reset")
    func unstoppable() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        let limit = CentralScheduler.unansweredStopLimit
        harness.planned = (0..<limit).map { _ in ({ $0 == .disableScan }, .timedOut) }
        try harness.scan(nil)
        #expect(harness.announcements.last == .unstoppable)
        try harness.reset()
        #expect(harness.announcements.last == .scanStateChanged(isScanning: false))
        try harness.configure()
        try harness.scan(parameters)
        #expect(harness.controller.isScanning)
    }

    @Test("A controller that answers no start or end of a scan is reset once, and the scan fails")
    func noScanAnswers() throws {
        var harness = try SchedulerHarness()
        harness.planned = (0..<20).map { _ in ({ $0.isEnable || $0 == .disableScan }, .timedOut) }
        try harness.scan(parameters)
        #expect(harness.announcements == [.unstoppable, .scanFailed(.unanswered)])
        try harness.reset()
        try harness.configure()
        #expect(harness.announcements.count == 2)
        #expect(harness.outstanding == nil)
    }

    @Test("A scan or an initiation that began without an answer is stopped")
    func lostAnswers() throws {
        var harness = try SchedulerHarness()
        harness.lost = { $0.isEnable || $0.isCreate }
        try harness.requestConnection(1, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.unanswered)])
        #expect(harness.controller.initiation == nil)
        try harness.scan(parameters)
        #expect(harness.announcements == [.scanFailed(.unanswered)])
        #expect(!harness.controller.isScanning)
    }

    // MARK: - Initiating

    @Test(
        "A refused direct connection is reported to its caller",
        arguments: [0x09, 0x0B, 0x0D, 0x12] as [UInt8]
    )
    func createRefused(code: UInt8) throws {
        var harness = try SchedulerHarness()
        harness.refuse(HCI.ErrorCode(rawValue: code), \.isCreate)
        try harness.requestConnection(1, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.refused(HCI.ErrorCode(rawValue: code)))])
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A direct connection without an answer is reported to its caller")
    func createUnanswered() throws {
        var harness = try SchedulerHarness()
        harness.planned = [(\.isCreate, .timedOut)]
        try harness.requestConnection(1, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.unanswered)])
    }

    @Test(
        "New pending requests fail if the controller has no room for a link, and others wait",
        arguments: [HCI.ErrorCode.connectionLimitExceeded, .memoryCapacityExceeded]
    )
    func noRoom(code: HCI.ErrorCode) throws {
        var harness = try SchedulerHarness()
        harness.refuse(code) { $0.target == .acceptList }
        harness.answersAtOnce = false
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        harness.answersAtOnce = true
        try harness.answer()
        try harness.advance(by: CentralScheduler.sliceDuration * 2)
        let failure = SchedulerHarness.Outcome.failed(.refused(code))
        // The controller has initiated for the request 1 alone before.
        #expect(harness.outcomes == [2: failure, 3: failure])
        try harness.linkCloses()
        #expect(harness.controller.initiation == .peer(.accessory(1)))
        // The Filter Accept List is still in use.
        for number in 4...5 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.advance(by: CentralScheduler.sliceDuration * 2)
        #expect(harness.controller.initiation == .acceptList)
    }

    @Test("A pending request waits while the controller is busy, and continues after a link closes")
    func busy() throws {
        var harness = try SchedulerHarness()
        harness.refuse(.rejectedForLimitedResources, \.isCreate)
        try harness.addPendingRequest(1, .accessory(1))
        #expect(harness.outcomes.isEmpty)
        #expect(harness.controller.initiation == nil)
        try harness.linkCloses()
        #expect(harness.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A pending request that is refused permanently fails")
    func pendingRefusedForGood() throws {
        var harness = try SchedulerHarness()
        harness.refuse(invalid, \.isCreate)
        try harness.addPendingRequest(1, .accessory(1))
        #expect(harness.outcomes == [1: .failed(.refused(invalid))])
    }

    @Test("After a refused Filter Accept List, each peer is tried alone to find the cause")
    func failingPeer() throws {
        var harness = try SchedulerHarness()
        harness.refuse(invalid) { operation in
            operation.target == .acceptList || operation.target == .peer(.accessory(2))
        }
        harness.refuse(invalid) { $0.target == .peer(.accessory(2)) }
        harness.answersAtOnce = false
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        harness.answersAtOnce = true
        try harness.answer()
        try harness.advance(by: CentralScheduler.sliceDuration * 6)
        #expect(harness.outcomes == [2: .failed(.refused(invalid))])
        #expect(!harness.operations.suffix(3).contains { $0.target == .acceptList })
    }

    @Test("If an initiation is refused because another is active, the active one is canceled")
    func staleInitiation() throws {
        var harness = try SchedulerHarness()
        harness.planned = [
            (\.isCreate, .status(.commandDisallowed)),
            ({ $0 == .cancelConnection }, .complete([0x00])),
        ]
        harness.answersAtOnce = true
        try harness.requestConnection(1, .accessory(1))
        try harness.complete(.unknownConnectionIdentifier, .noPeer)
        #expect(harness.controller.initiation == .peer(.accessory(1)))
        #expect(harness.outcomes.isEmpty)
    }

    @Test("An initiation that is always disallowed is attempted a limited number of times")
    func alwaysStale() throws {
        var harness = try SchedulerHarness()
        harness.planned = (0..<50).flatMap { _ in
            [
                ({ $0.isCreate }, CommandResult.status(.commandDisallowed)),
                ({ $0 == .cancelConnection }, .complete([0x00])),
            ] as [(matches: (ControllerOperation) -> Bool, result: CommandResult)]
        }
        try harness.requestConnection(1, .accessory(1))
        try harness.advance(by: .seconds(5))
        #expect(harness.outcomes == [1: .failed(.refused(.commandDisallowed))])
        #expect(harness.operations.count < 10)
    }

    // MARK: - The Filter Accept List

    @Test("Peers that do not fit into the Filter Accept List wait for their turn")
    func listTooSmall() throws {
        var harness = try SchedulerHarness(acceptListSize: 8)
        harness.controller.acceptListSize = 2
        harness.refuse(.memoryCapacityExceeded) { $0 == .addToAcceptList(.accessory(3)) }
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        var listened: Set<DeviceAddress> = []
        for _ in 0..<6 {
            try harness.advance(by: CentralScheduler.sliceDuration)
            listened.formUnion(harness.controller.listensFor)
        }
        #expect(listened == Set((1...3).map { .accessory($0) }))
    }

    @Test(
        "If all changes of the Filter Accept List are refused, peers are tried one by one",
        arguments: [0x01, 0x0C, 0x07]
    )
    func editsRefused(code: UInt8) throws {
        var harness = try SchedulerHarness()
        harness.refuse(HCI.ErrorCode(rawValue: code), times: 100) { operation in
            switch operation {
            case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: true
            default: false
            }
        }
        // A disallowed change suggests that the controller is initiating, so the scheduler tries to
        // cancel the initiation.
        let cancels = code == 0x0C ? CentralScheduler.refusalLimit : 0
        harness.refuse(.commandDisallowed, times: cancels) { $0 == .cancelConnection }
        harness.answersAtOnce = false
        for number in 1...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        var listened: Set<DeviceAddress> = []
        harness.answersAtOnce = true
        try harness.answer()
        for _ in 0..<12 {
            try harness.advance(by: CentralScheduler.sliceDuration)
            listened.formUnion(harness.controller.listensFor)
        }
        #expect(listened == Set((1...3).map { .accessory($0) }))
    }

    @Test("After an unanswered change, the Filter Accept List is cleared and filled again")
    func editUnanswered() throws {
        var harness = try SchedulerHarness()
        harness.planned = [(\.isAdd, .timedOut)]
        for number in 1...2 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.advance(by: CentralScheduler.sliceDuration)
        #expect(harness.operations.filter { $0 == .clearAcceptList }.count == 2)
        #expect(harness.controller.initiation == .acceptList)
    }

    // MARK: - Reset

    @Test("A reset fails direct requests, and all other activities resume")
    func reset() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        try harness.requestConnection(1, .accessory(1))
        for number in 2...3 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        try harness.reset()
        #expect(harness.outcomes == [1: .failed(.controllerReset)])
        #expect(harness.announcements.last == .scanStateChanged(isScanning: false))
        #expect(harness.scheduler.nextDeadline == nil)
        try harness.configure()
        #expect(harness.controller.initiation == .acceptList)
        #expect(harness.controller.isScanning)
        #expect(harness.announcements.last == .scanStateChanged(isScanning: true))
    }

    @Test(
        "An answer to a command from before a reset has no effect",
        arguments: [0, 1, 2, 3, 4, 5]
    )
    func lateAnswer(answered: Int) throws {
        var harness = try SchedulerHarness()
        harness.answersAtOnce = false
        try harness.scan(parameters)
        for number in 1...2 {
            try harness.addPendingRequest(UInt64(number), .accessory(UInt64(number)))
        }
        for _ in 0..<answered where harness.outstanding != nil { try harness.answer() }
        let late = harness.outstanding
        try harness.reset()
        try harness.configure()
        let fresh = harness.outstanding
        if let late {
            let actions = harness.scheduler.commandFinished(
                late,
                result: .timedOut,
                now: harness.now
            )
            #expect(actions.isEmpty)
        }
        #expect(harness.outstanding == fresh)
        harness.answersAtOnce = true
        try harness.answer()
        try harness.advance(by: CentralScheduler.sliceDuration)
        #expect(harness.controller.isScanning)
        #expect(harness.controller.initiation == .acceptList)
    }

    @Test("Requests that are canceled without a controller end at once")
    func withdrawnWhileAway() throws {
        var harness = try SchedulerHarness()
        try harness.addPendingRequest(1, .accessory(1))
        try harness.reset()
        try harness.cancel(1)
        #expect(harness.outcomes == [1: .failed(.cancelled)])
    }
}
