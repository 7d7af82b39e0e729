// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// An advertiser with a model of a controller and a manual clock.
struct AdvertiserHarness {
    static let ownAddress = DeviceAddress(value: 0xC0FF_EE00_0001, kind: .random)

    var advertiser = Advertiser()
    var model: AdvertisingModel
    var now = Instant.zero

    /// All operations, in sequence.
    private(set) var operations: [AdvertisingOperation] = []
    /// The layouts of each set, one for each time that the advertiser reported the set as in force;
    /// see ``Advertiser``.
    private(set) var inForce: [UInt64: [AdvertisingLayout]] = [:]
    /// The number of times that the advertiser reported `quiet`: all sets are off the air, as
    /// `hold` had requested.
    private(set) var quietCount = 0
    /// The number of times that the advertiser requested a reset because the controller did not
    /// answer Disable.
    private(set) var unstoppableCount = 0
    /// The ends of the sets, with their reasons.
    private(set) var ends: [UInt64: AdvertisingEnd] = [:]
    /// The operation that awaits its answer.
    private(set) var outstanding: AdvertisingStep?

    /// An answer to the next operation of a kind, whether or not the controller carries the
    /// operation out.
    struct PlannedAnswer {
        let matches: (AdvertisingOperation) -> Bool
        let result: CommandResult
        let isCarriedOut: Bool
    }

    /// Planned answers. An operation gets and removes the first that matches it.
    var planned: [PlannedAnswer] = []
    var answersAtOnce = true
    /// Whether an illegal operation fails the test. `false` with a faulty controller, because the
    /// advertiser cannot know the state of a controller that did not answer or that refused without
    /// a reason.
    var isStrict = true
    /// Whether the host resets a controller that does not answer Disable.
    var resetsUnstoppable = true
    /// Whether the advertiser needs the Filter Accept List.
    private(set) var needsList = false
    /// Whether the advertiser gets the Filter Accept List at once.
    var grantsList = true
    /// The capabilities that the controller reports.
    var capabilities: ControllerCapabilities

    init(_ capabilities: ControllerCapabilities = .advertising()) throws {
        self.capabilities = capabilities
        model = AdvertisingModel(
            isExtended: capabilities.usesExtendedCommands,
            setLimit: capabilities.advertisingSetCount
        )
        try configure()
    }

    // MARK: - Inputs

    mutating func configure() throws {
        try take(advertiser.configure(capabilities, ownAddress: Self.ownAddress, now: now))
    }

    mutating func add(_ id: UInt64, _ advertising: Advertising) throws {
        try take(advertiser.add(id, advertising, now: now))
    }

    mutating func update(_ id: UInt64, _ advertising: Advertising) throws {
        try take(advertiser.update(id, advertising, now: now))
    }

    mutating func remove(_ id: UInt64) throws {
        try take(advertiser.remove(id, now: now))
    }

    mutating func reset() throws {
        model.reset()
        outstanding = nil
        try take(advertiser.reset(now: now))
    }

    /// Connects a central through the set with this handle.
    mutating func connect(through handle: UInt8, reportsSet: Bool = true) throws {
        model.stop(handle)
        try take(advertiser.connectionMade(now: now))
        if model.isExtended, reportsSet { try terminate(handle, .success) }
    }

    /// Ends the set without a command of the host.
    mutating func terminate(
        _ handle: UInt8,
        _ status: HCI.ErrorCode,
        events: UInt8 = 0
    ) throws {
        model.stop(handle)
        let event = HCI.LEAdvertisingSetTerminated(
            status: status,
            advertisingHandle: handle,
            connectionHandle: ConnectionHandle(rawValue: 0),
            completedEvents: events
        )
        try take(advertiser.setTerminated(event, now: now))
    }

    mutating func timeOutDirected() throws {
        model.stop(0)
        try take(advertiser.directedAdvertisingTimedOut(now: now))
    }

    mutating func use(_ activities: ControllerActivities) throws {
        try take(advertiser.activitiesChanged(to: activities, now: now))
    }

    mutating func linkCloses() throws {
        try take(advertiser.linkCountChanged(now: now))
    }

    /// Advances the clock and stops at every deadline.
    mutating func advance(by duration: Duration) throws {
        let end = now + duration
        while let deadline = advertiser.nextDeadline, deadline <= end {
            now = max(now, deadline)
            try take(advertiser.deadlinePassed(now: now))
            if let next = advertiser.nextDeadline {
                #expect(next > now, "The deadline does not advance")
                guard next > now else { return }
            }
        }
        now = end
    }

    mutating func take(_ actions: [Advertiser.Action]) throws {
        for action in actions { try note(action) }
        while answersAtOnce, outstanding != nil { try answer() }
    }

    /// Answers the outstanding operation as planned, or by carrying it out.
    mutating func answer() throws {
        let step = try #require(outstanding)
        outstanding = nil
        if let index = planned.firstIndex(where: { $0.matches(step.operation) }) {
            let answer = planned.remove(at: index)
            if answer.isCarriedOut { _ = carryOut(step.operation) }
            return try take(advertiser.commandFinished(step, result: answer.result, now: now))
        }
        try take(advertiser.commandFinished(step, result: carryOut(step.operation), now: now))
    }

    private mutating func carryOut(_ operation: AdvertisingOperation) -> CommandResult {
        do throws(ImpossibleAdvertising) {
            try model.perform(operation)
            return .complete(ArraySlice([0x00] + operation.answer))
        } catch {
            return .complete([error.status.rawValue])
        }
    }

    /// Plans the answer to the next operation that matches.
    mutating func plan(
        _ result: CommandResult,
        times: Int = 1,
        isCarriedOut: Bool = false,
        _ matches: @escaping (AdvertisingOperation) -> Bool
    ) {
        isStrict = false
        for _ in 0..<times {
            planned.append(
                PlannedAnswer(matches: matches, result: result, isCarriedOut: isCarriedOut)
            )
        }
    }

    mutating func refuse(
        _ code: HCI.ErrorCode,
        times: Int = 1,
        _ matches: @escaping (AdvertisingOperation) -> Bool
    ) {
        plan(.complete([code.rawValue]), times: times, matches)
    }

    private mutating func note(_ action: Advertiser.Action) throws {
        switch action {
        case .command(_, let step):
            if outstanding != nil { throw ImpossibleAdvertising.twoCommandsAtOnce }
            if !planned.contains(where: { $0.matches(step.operation) }) {
                var trial = model
                do { try trial.perform(step.operation) } catch {
                    // The controller has not reported yet which set led to a connection.
                    if isStrict, advertiser.terminationDueAt == nil { throw error }
                }
            }
            outstanding = step
            operations.append(step.operation)
        case .needsAcceptList(let isNeeded):
            needsList = isNeeded
            if isNeeded, grantsList { try take(advertiser.acceptListGranted(now: now)) }
        case .quiet: quietCount += 1
        case .unstoppable:
            unstoppableCount += 1
            if resetsUnstoppable {
                try reset()
                try configure()
            }
        case .inForce(let id, let layout): inForce[id, default: []].append(layout)
        case .ended(let id, let end):
            #expect(ends[id] == nil, "Set \(id) ended twice")
            ends[id] = end
        }
    }
}

extension ImpossibleAdvertising {
    /// The controller's status for an illegal operation.
    fileprivate var status: HCI.ErrorCode {
        switch self {
        case .noSuchSet: .unknownAdvertisingIdentifier
        case .tooManySets: .memoryCapacityExceeded
        case .dataWhereThereIsNone: .invalidCommandParameters
        default: .commandDisallowed
        }
    }
}

extension AdvertisingOperation {
    /// The return parameters after the status.
    fileprivate var answer: [UInt8] {
        switch self {
        case .readTransmitPower: [UInt8(bitPattern: -3)]
        case .setParameters: [5]
        default: []
        }
    }

    var isEnable: Bool { if case .enable = self { true } else { false } }
    var isDisable: Bool { if case .disable = self { true } else { false } }
    var isSetParameters: Bool { if case .setParameters = self { true } else { false } }
    var isSetAddress: Bool { if case .setAddress = self { true } else { false } }
    var isSetData: Bool { if case .setData = self { true } else { false } }
    var isRemove: Bool { if case .remove = self { true } else { false } }
}

extension ControllerCapabilities {
    /// Returns the capabilities of a controller that can advertise, with extended or legacy
    /// commands.
    static func advertising(isExtended: Bool = true, sets: Int = 3) -> ControllerCapabilities {
        let legacy: [HCI.Opcode] = [
            .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
            .leSetAdvertisingEnable, .leReadAdvertisingPhysicalChannelTxPower,
        ]
        let extended: [HCI.Opcode] = [
            .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingEnable,
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        ]
        var capabilities = ControllerCapabilities.forTests(
            commands: isExtended ? legacy + extended : legacy
        )
        capabilities.publicAddress = DeviceAddress(value: 0x5E00_5301, kind: .public)
        guard isExtended else { return capabilities }
        capabilities.leFeatures = [.extendedAdvertising, .le2M, .coded]
        capabilities.advertisingSetCount = sets
        capabilities.maximumAdvertisingDataLength = 1650
        return capabilities
    }
}
