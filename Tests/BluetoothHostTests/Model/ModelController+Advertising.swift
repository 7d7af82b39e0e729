// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The state of one advertising set. Legacy commands use set 0.
struct ModelSet: Sendable, Equatable {
    var properties: HCI.AdvertisingProperties = []
    var address: DeviceAddress?
    var target: DeviceAddress?
    var filterPolicy = HCI.AdvertisingFilterPolicy.unfiltered
    var data: [UInt8] = []
    var response: [UInt8] = []
    var isPartial = false
    var isOn = false
    var run = HCI.AdvertisingSetRun(advertisingHandle: 0)

    var isConnectable: Bool { properties.contains(.connectable) }
    var usesList: Bool { filterPolicy != .unfiltered }
}

// Advertising commands. Their order is checked strictly, as the specification requires.
extension ModelController {
    /// Executes an advertising command. Returns `false` for other commands.
    mutating func advertise(_ command: any HCICommand, _ opcode: HCI.Opcode) -> Bool {
        advertiseLegacy(command, opcode) || advertiseExtended(command, opcode)
    }

    private mutating func advertiseLegacy(_ command: any HCICommand, _ opcode: HCI.Opcode) -> Bool {
        switch command {
        case let command as HCI.LESetAdvertisingParameters:
            change(0, opcode, isExtended: false, isAllowed: !(sets[0]?.isOn ?? false)) { set in
                set.properties = command.type.properties
                set.target = command.peerAddress.deviceAddress
                set.filterPolicy = command.filterPolicy
            }
        case let command as HCI.LESetAdvertisingData:
            change(0, opcode, isExtended: false) { $0.data = command.data.bytes }
        case let command as HCI.LESetScanResponseData:
            change(0, opcode, isExtended: false) { $0.response = command.data.bytes }
        case let command as HCI.LESetAdvertisingEnable:
            enable(command.isEnabled, [.init(advertisingHandle: 0)], opcode, isExtended: false)
        default: return false
        }
        return true
    }

    private mutating func advertiseExtended(
        _ command: any HCICommand,
        _ opcode: HCI.Opcode
    ) -> Bool {
        switch command {
        case let command as HCI.LESetExtendedAdvertisingParameters: setParameters(command, opcode)
        case let command as HCI.LESetAdvertisingSetRandomAddress:
            let set = sets[command.advertisingHandle]
            let isAllowed = !(set?.isOn == true && set?.isConnectable == true)
            changeSet(command.advertisingHandle, opcode, isAllowed: isAllowed) {
                $0.address = command.address.deviceAddress(.random)
            }
        case let command as HCI.LESetExtendedAdvertisingData:
            setData(command.advertisingHandle, command.operation, command.data, opcode, \.data)
        case let command as HCI.LESetExtendedScanResponseData:
            setData(command.advertisingHandle, command.operation, command.data, opcode, \.response)
        case let command as HCI.LESetExtendedAdvertisingEnable:
            enable(command.isEnabled, command.sets, opcode, isExtended: true)
        case let command as HCI.LERemoveAdvertisingSet:
            let isOn = sets[command.advertisingHandle]?.isOn ?? false
            guard changeSet(command.advertisingHandle, opcode, isAllowed: !isOn, { _ in }) else {
                break
            }
            sets[command.advertisingHandle] = nil
        default: return false
        }
        return true
    }

    private mutating func setParameters(
        _ command: HCI.LESetExtendedAdvertisingParameters,
        _ opcode: HCI.Opcode
    ) {
        note(opcode, isExtended: true)
        var set = sets[command.advertisingHandle] ?? ModelSet()
        guard sets[command.advertisingHandle] != nil || sets.count < profile.advertisingSetCount
        else { return complete(opcode, .memoryCapacityExceeded) }
        guard !set.isOn else {
            violate(.illegal(opcode))
            return complete(opcode, .commandDisallowed)
        }
        set.properties = command.properties
        set.target = command.peerAddress.deviceAddress
        set.filterPolicy = command.filterPolicy
        sets[command.advertisingHandle] = set
        typealias Answer = HCI.LESetExtendedAdvertisingParameters.ReturnParameters
        complete(opcode, .success, Answer(transmitPower: 5))
    }

    private mutating func setData(
        _ handle: UInt8,
        _ operation: HCI.DataOperation,
        _ piece: ArraySlice<UInt8>,
        _ opcode: HCI.Opcode,
        _ field: WritableKeyPath<ModelSet, [UInt8]>
    ) {
        let isWhole = operation == .complete
        let isAllowed = isWhole || sets[handle]?.isOn == false
        changeSet(handle, opcode, isAllowed: isAllowed) { set in
            let isFresh = operation == .complete || operation == .first
            set[keyPath: field] = (isFresh ? [] : set[keyPath: field]) + piece
            set.isPartial = operation == .first || operation == .intermediate
        }
    }

    private mutating func enable(
        _ isEnabled: Bool,
        _ runs: [HCI.AdvertisingSetRun],
        _ opcode: HCI.Opcode,
        isExtended: Bool
    ) {
        note(opcode, isExtended: isExtended)
        for run in runs {
            guard let set = sets[run.advertisingHandle] else {
                return complete(opcode, isExtended ? .unknownAdvertisingIdentifier : .success)
            }
            if isEnabled, set.isConnectable, links.count >= profile.linkLimit {
                return complete(opcode, .connectionLimitExceeded)
            }
            if isEnabled, set.isPartial { violate(.illegal(opcode)) }
            sets[run.advertisingHandle]?.isOn = isEnabled
            sets[run.advertisingHandle]?.run = run
        }
        complete(opcode, .success)
    }

    @discardableResult
    private mutating func changeSet(
        _ handle: UInt8,
        _ opcode: HCI.Opcode,
        isAllowed: Bool,
        _ change: (inout ModelSet) -> Void
    ) -> Bool {
        guard sets[handle] != nil else {
            complete(opcode, .unknownAdvertisingIdentifier)
            return false
        }
        self.change(handle, opcode, isExtended: true, isAllowed: isAllowed, change)
        return isAllowed
    }

    private mutating func change(
        _ handle: UInt8,
        _ opcode: HCI.Opcode,
        isExtended: Bool,
        isAllowed: Bool = true,
        _ change: (inout ModelSet) -> Void
    ) {
        note(opcode, isExtended: isExtended)
        guard isAllowed else {
            violate(.illegal(opcode))
            return complete(opcode, .commandDisallowed)
        }
        change(&sets[handle, default: ModelSet()])
        complete(opcode, .success)
    }
}

// Advertising events.
extension ModelController {
    /// The sets that are advertising, in the order of their handles.
    var setsOnAir: [ModelSet] {
        sets.filter(\.value.isOn).sorted { $0.key < $1.key }.map(\.value)
    }

    /// Connects a central with the first set that accepts it. Returns `nil` if there is none.
    @discardableResult
    mutating func acceptConnection(from address: DeviceAddress) -> ConnectionHandle? {
        let open = sets.filter { $0.value.isOn && $0.value.isConnectable }
        guard let set = open.keys.min(), links.count < profile.linkLimit else { return nil }
        let handle = takeHandle()
        links[handle] = ModelLink(peer: address)
        sets[set]?.isOn = false
        sendConnectionComplete(.success, handle, address, role: .peripheral)
        if usesExtendedCommands == true { terminate(set, .success, handle) }
        return handle
    }

    /// Ends a set without a command.
    mutating func endAdvertising(_ set: UInt8, _ status: HCI.ErrorCode, events: UInt8 = 0) {
        sets[set]?.isOn = false
        if usesExtendedCommands == true {
            terminate(set, status, ConnectionHandle(rawValue: 0), events: events)
        } else {
            sendConnectionComplete(status, ConnectionHandle(rawValue: 0), nil, role: .peripheral)
        }
    }

    private mutating func terminate(
        _ set: UInt8,
        _ status: HCI.ErrorCode,
        _ handle: ConnectionHandle,
        events: UInt8 = 0
    ) {
        guard leEventMask.contains(.advertisingSetTerminated), !hidesTerminations else { return }
        send(
            .advertisingSetTerminated(
                .init(
                    status: status,
                    advertisingHandle: set,
                    connectionHandle: handle,
                    completedEvents: events
                )
            )
        )
    }
}

extension HCI.AdvertisingType {
    fileprivate var properties: HCI.AdvertisingProperties {
        switch self {
        case .connectableUndirected: [.legacy, .connectable, .scannable]
        case .directedHighDutyCycle: [.legacy, .connectable, .directed, .highDutyCycle]
        case .directedLowDutyCycle: [.legacy, .connectable, .directed]
        case .scannable: [.legacy, .scannable]
        default: .legacy
        }
    }
}
