// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// A scheduler with a model controller and a manual clock.
struct SchedulerHarness {
    enum Outcome: Equatable {
        case connected
        case failed(CentralFailure)
    }

    var scheduler = CentralScheduler()
    var controller = ModelController()
    var now = Instant.zero

    /// The outcomes of the requests.
    private(set) var outcomes: [UInt64: Outcome] = [:]
    /// All operations, in sequence.
    private(set) var operations: [ControllerOperation] = []
    /// All actions other than commands and outcomes of requests.
    private(set) var announcements: [CentralScheduler.Action] = []
    /// The operation that awaits its answer.
    private(set) var outstanding: CentralStep?
    /// Whether the controller has left an operation unanswered.
    private var wasSilent = false

    /// The answers to operations that the controller does not carry out. An operation gets and
    /// removes the first that matches it.
    var planned: [(matches: (ControllerOperation) -> Bool, result: CommandResult)] = []
    /// Selects operations that the controller carries out without an answer.
    var lost: (ControllerOperation) -> Bool = { _ in false }
    /// Whether operations are answered at once.
    var answersAtOnce = true
    /// Whether the controller reports the end of a canceled initiation.
    var reportsEnds = true

    init(acceptListSize: Int = 4, canOverlap: Bool = true, reportsStates: Bool = true) throws {
        controller.acceptListSize = acceptListSize
        controller.canOverlap = canOverlap
        controller.reportsStates = reportsStates
        try configure()
    }

    // MARK: - Inputs

    mutating func configure() throws {
        let capabilities = ControllerCapabilities.forTests(
            acceptListSize: controller.acceptListSize,
            saysNoOverlap: controller.reportsStates && !controller.canOverlap
        )
        try take(scheduler.configure(capabilities, ownAddressKind: .random, now: now))
    }

    mutating func scan(_ parameters: ScanParameters?, duration: Duration? = nil) throws {
        try take(scheduler.setScan(parameters, duration: duration, now: now))
    }

    mutating func renewScan() throws {
        try take(scheduler.renewScan(now: now))
    }

    mutating func requestConnection(
        _ id: UInt64,
        _ address: DeviceAddress,
        _ parameters: ConnectParameters = ConnectParameters()
    ) throws {
        try take(scheduler.connect(id, to: .direct(address), parameters: parameters, now: now))
    }

    mutating func addPendingRequest(
        _ id: UInt64,
        _ address: DeviceAddress,
        _ parameters: ConnectParameters = ConnectParameters()
    ) throws {
        try take(scheduler.connect(id, to: .pending(address), parameters: parameters, now: now))
    }

    mutating func cancel(_ id: UInt64) throws {
        try take(scheduler.cancel(id, now: now))
    }

    /// Connects the controller to the device.
    mutating func appear(_ address: DeviceAddress) throws {
        #expect(controller.listensFor.contains(address))
        controller.connect()
        try complete(.success, address)
    }

    /// Makes the attempt to connect to the device fail.
    mutating func failAttempt(_ status: HCI.ErrorCode, _ address: DeviceAddress) throws {
        controller.connect()
        try complete(status, address)
    }

    mutating func complete(_ status: HCI.ErrorCode, _ address: DeviceAddress) throws {
        try take(scheduler.connectionCompleted(status: status, peer: address, now: now))
    }

    mutating func scanTimesOut() throws {
        controller.stopScanning()
        try take(scheduler.scanTimedOut(now: now))
    }

    mutating func linkCloses() throws {
        try take(scheduler.linkCountChanged(now: now))
    }

    mutating func reset() throws {
        controller.reset()
        outstanding = nil
        try take(scheduler.reset(now: now))
    }

    /// Advances the clock and stops at every deadline.
    mutating func advance(by duration: Duration) throws {
        let end = now + duration
        while let deadline = scheduler.nextDeadline, deadline <= end {
            now = max(now, deadline)
            try take(scheduler.deadlinePassed(now: now))
            if let next = scheduler.nextDeadline {
                #expect(next > now, "The deadline does not advance")
            }
        }
        now = end
    }

    /// Handles actions, and answers operations if `answersAtOnce` is `true`.
    mutating func take(_ actions: [CentralScheduler.Action]) throws {
        for action in actions { try note(action) }
        while answersAtOnce, outstanding != nil { try answer() }
    }

    /// Answers the outstanding operation as planned, or by carrying it out.
    mutating func answer() throws {
        let step = try #require(outstanding)
        outstanding = nil
        if lost(step.operation) {
            _ = try controller.perform(step.operation)
            wasSilent = true
            return try take(
                scheduler.commandFinished(step, result: .timedOut, now: now)
            )
        }
        if let index = planned.firstIndex(where: { $0.matches(step.operation) }) {
            let result = planned.remove(at: index).result
            if case .timedOut = result { wasSilent = true }
            return try take(scheduler.commandFinished(step, result: result, now: now))
        }
        guard let ends = try? controller.perform(step.operation) else {
            // The state has changed since the operation was given, or `check` allows a refusal.
            let refusal = CommandResult.refusing(step.operation, .commandDisallowed)
            return try take(scheduler.commandFinished(step, result: refusal, now: now))
        }
        try take(scheduler.commandFinished(step, result: .accepting(step.operation), now: now))
        if ends, reportsEnds { try complete(.unknownConnectionIdentifier, .noPeer) }
    }

    /// Checks that the operation is legal now, as far as the controller's answers show.
    private func check(_ operation: ControllerOperation) throws {
        guard !planned.contains(where: { $0.matches(operation) }) else { return }
        var trial = controller
        do {
            _ = try trial.perform(operation)
        } catch {
            // The first refusal shows the scheduler a limit that the controller does not report.
            if error == .scanAndInitiationAtOnce, !controller.reportsStates { return }
            // After a missing answer, the state of the controller is unknown, so the scheduler
            // stops the controller's activity.
            let isStop = error == .scanDisabledTwice || error == .cancelWithoutInitiation
            guard isStop, wasSilent else { throw error }
        }
    }

    /// Plans a refusal of the next operations that match.
    mutating func refuse(
        _ code: HCI.ErrorCode,
        times: Int = 1,
        _ matches: @escaping (ControllerOperation) -> Bool
    ) {
        let operation = ControllerOperation.cancelConnection
        for _ in 0..<times { planned.append((matches, .refusing(operation, code))) }
    }

    private mutating func note(_ action: CentralScheduler.Action) throws {
        switch action {
        case .command(_, let step):
            if outstanding != nil { throw Impossible.twoCommandsAtOnce }
            try check(step.operation)
            outstanding = step
            operations.append(step.operation)
        case .connected(let id): end(id, .connected)
        case .connectFailed(let id, let failure): end(id, .failed(failure))
        default: announcements.append(action)
        }
    }

    private mutating func end(_ id: UInt64, _ outcome: Outcome) {
        #expect(outcomes[id] == nil, "Request \(id) ended twice")
        outcomes[id] = outcome
    }
}

extension DeviceAddress {
    static let noPeer = DeviceAddress(value: 0, kind: .public)

    /// Returns the address of the test accessory with this number.
    static func accessory(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(value: 0xC4F0_0000_0000 | number, kind: .random)
    }
}

extension CommandResult {
    static func accepting(_ operation: ControllerOperation) -> CommandResult {
        if case .createConnection = operation { .status(.success) } else { .complete([0x00]) }
    }

    static func refusing(_ operation: ControllerOperation, _ code: HCI.ErrorCode) -> CommandResult {
        if case .createConnection = operation { .status(code) } else { .complete([code.rawValue]) }
    }
}

extension ControllerOperation {
    var isCreate: Bool { if case .createConnection = self { true } else { false } }
    var isEnable: Bool { if case .enableScan = self { true } else { false } }
    var isAdd: Bool { if case .addToAcceptList = self { true } else { false } }
    var isSetParameters: Bool { if case .setScanParameters = self { true } else { false } }
    var target: InitiationTarget? {
        if case .createConnection(let target, _) = self { target } else { nil }
    }
}
