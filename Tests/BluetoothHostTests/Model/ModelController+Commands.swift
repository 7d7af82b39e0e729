// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Execution of commands.
extension ModelController {
    mutating func execute(_ command: any HCICommand) {
        let opcode = type(of: command).opcode
        switch command {
        case is HCI.Reset:
            forget()
            complete(opcode, .success)
        case let command as HCI.LESetEventMask:
            leEventMask = command.mask
            complete(opcode, .success)
        case is HCI.SetEventMask, is HCI.SetEventMaskPage2, is HCI.WriteLEHostSupport,
            is HCI.LESetRandomAddress, is HCI.LEWriteSuggestedDefaultDataLength,
            is HCI.LEAddDeviceToResolvingList, is HCI.LERemoveDeviceFromResolvingList,
            is HCI.LEClearResolvingList, is HCI.LESetAddressResolutionEnable,
            is HCI.LESetPrivacyMode:
            complete(opcode, .success)
        case is any EmptyParameters where !Self.isAction(opcode): reply(opcode)
        default: if !advertise(command, opcode) { act(command, opcode) }
        }
    }

    private static func isAction(_ opcode: HCI.Opcode) -> Bool {
        opcode == .leCreateConnectionCancel || opcode == .leClearFilterAcceptList
    }

    private mutating func act(_ command: any HCICommand, _ opcode: HCI.Opcode) {
        switch command {
        case is HCI.LESetScanParameters, is HCI.LESetExtendedScanParameters:
            note(opcode, isExtended: opcode == .leSetExtendedScanParameters)
            finish(opcode, isAllowed: !isScanning)
        case let command as HCI.LESetScanEnable: scan(command.isEnabled, opcode)
        case let command as HCI.LESetExtendedScanEnable: scan(command.isEnabled, opcode)
        case let command as HCI.LECreateConnection:
            note(opcode, isExtended: false)
            initiate(opcode, command.filterPolicy, command.peerAddress)
        case let command as HCI.LEExtendedCreateConnection:
            note(opcode, isExtended: true)
            initiate(opcode, command.filterPolicy, command.peerAddress)
        case is HCI.LECreateConnectionCancel: cancelInitiation()
        case is HCI.LEClearFilterAcceptList: edit(opcode) { $0 = [] }
        case let command as HCI.LEAddDeviceToFilterAcceptList:
            guard acceptList.count < profile.acceptListSize else {
                return complete(opcode, .memoryCapacityExceeded)
            }
            edit(opcode) { list in list += [command.address.deviceAddress].compactMap(\.self) }
        case let command as HCI.LERemoveDeviceFromFilterAcceptList:
            edit(opcode) { list in list.removeAll { $0 == command.address.deviceAddress } }
        default: actOnLink(command, opcode)
        }
    }

    /// Records a legacy or extended command. The two kinds exclude each other until the next reset
    /// (Vol 4, Part E, 3.1.1).
    mutating func note(_ opcode: HCI.Opcode, isExtended: Bool) {
        if usesExtendedCommands == !isExtended { violate(.illegal(opcode)) }
        usesExtendedCommands = isExtended
    }

    private mutating func finish(_ opcode: HCI.Opcode, isAllowed: Bool) {
        if !isAllowed { violate(.illegal(opcode)) }
        complete(opcode, isAllowed ? .success : .commandDisallowed)
    }
}

// Scanning and initiating.
extension ModelController {
    private mutating func scan(_ isEnabled: Bool, _ opcode: HCI.Opcode) {
        note(opcode, isExtended: opcode == .leSetExtendedScanEnable)
        isScanning = isEnabled
        complete(opcode, .success)
        if isEnabled { advertise() }
    }

    /// Reports every peer in range once, if the host is scanning.
    mutating func advertise() {
        guard isScanning else { return }
        for peer in peers.values.sorted(by: { $0.address.value < $1.address.value })
        where peer.presence != .absent && handle(of: peer.address) == nil {
            report(peer)
        }
    }

    private mutating func report(_ peer: ModelPeer) {
        let address = HCI.PeerAddress(peer.address)
        let data = peer.advertisingData[...]
        guard usesExtendedCommands == true else {
            return send(
                .advertisingReports([
                    .init(type: .connectable, address: address, data: data, rssi: -60)
                ])
            )
        }
        send(
            .extendedAdvertisingReports([
                .init(
                    type: .init(rawValue: 0b10011),
                    address: address,
                    primaryPHY: .le1M,
                    secondaryPHY: nil,
                    setIdentifier: 0xFF,
                    transmitPower: 127,
                    rssi: -60,
                    periodicInterval: .init(rawValue: 0),
                    target: .none,
                    data: data
                )
            ])
        )
    }

    private mutating func initiate(
        _ opcode: HCI.Opcode,
        _ policy: HCI.InitiatorFilterPolicy,
        _ peer: HCI.PeerAddress
    ) {
        guard initiation == nil else {
            violate(.illegal(opcode))
            return answer(opcode, .commandDisallowed)
        }
        let usesList = policy == .filterAcceptList
        if usesList, acceptList.isEmpty { violate(.illegal(opcode)) }
        initiation = Initiation(target: usesList ? nil : peer.deviceAddress)
        answer(opcode, .success)
        connectIfPossible()
    }

    private mutating func cancelInitiation() {
        guard let target = initiation?.target ?? (initiation == nil ? nil : acceptList.first)
        else { return complete(.leCreateConnectionCancel, .commandDisallowed) }
        initiation = nil
        complete(.leCreateConnectionCancel, .success)
        sendConnectionComplete(.unknownConnectionIdentifier, .init(rawValue: 0), target)
    }

    private mutating func edit(_ opcode: HCI.Opcode, _ change: (inout [DeviceAddress]) -> Void) {
        let isInUse = sets.values.contains { $0.isOn && $0.usesList }
        if isInUse || initiation.map({ $0.target == nil }) ?? false {
            violate(.illegal(opcode))
            return complete(opcode, .commandDisallowed)
        }
        change(&acceptList)
        complete(opcode, .success)
    }
}
