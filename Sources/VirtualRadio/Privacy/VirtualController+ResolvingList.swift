// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension ResolvingList {
    /// The range of the timeout of private addresses, in seconds (Vol 4, Part E, 7.8.45).
    static let timeoutRange: ClosedRange<UInt16> = 0x0001...0x0E10

    /// The handlers of the list's commands (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
    static let handlers: [CommandHandler] = changes + questions + settings

    private static let changes: [CommandHandler] = [
        .completing(HCI.LEAddDeviceToResolvingList.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.addToResolvingList(command, &ether)
        },
        .completing(HCI.LERemoveDeviceFromResolvingList.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.changeResolvingList(&ether) { (list) throws(HCI.ErrorCode) in
                try list.remove(identity(command.peerIdentity))
            }
        },
        .completing(HCI.LEClearResolvingList.self) {
            (controller, _, ether) throws(HCI.ErrorCode) in
            try controller.changeResolvingList(&ether) { (list) throws(HCI.ErrorCode) in
                list.removeAll()
            }
        },
    ]

    private static let questions: [CommandHandler] = [
        .completing(HCI.LEReadResolvingListSize.self) {
            (controller, _, _) throws(HCI.ErrorCode)
                -> HCI.LEReadResolvingListSize.ReturnParameters in
            HCI.LEReadResolvingListSize.ReturnParameters(
                size: UInt8(clamping: controller.resolvingList.limit)
            )
        },
        .completing(HCI.LEReadPeerResolvableAddress.self) {
            (controller, command, _) throws(HCI.ErrorCode)
                -> HCI.LEReadPeerResolvableAddress.ReturnParameters in
            let peer = try identity(command.peerIdentity)
            return HCI.LEReadPeerResolvableAddress.ReturnParameters(
                address: try bare(controller.resolvingList.presentAddress(of: peer))
            )
        },
        .completing(HCI.LEReadLocalResolvableAddress.self) {
            (controller, command, _) throws(HCI.ErrorCode)
                -> HCI.LEReadLocalResolvableAddress.ReturnParameters in
            let peer = try identity(command.peerIdentity)
            return HCI.LEReadLocalResolvableAddress.ReturnParameters(
                address: try bare(controller.resolvingList.localAddress(toward: peer))
            )
        },
    ]

    private static let settings: [CommandHandler] = [
        .completing(HCI.LESetAddressResolutionEnable.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.setAddressResolution(command.isEnabled, &ether)
        },
        .completing(HCI.LESetResolvablePrivateAddressTimeout.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.setAddressTimeout(command.timeout, &ether)
        },
        .completing(HCI.LESetPrivacyMode.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.changeResolvingList(&ether) { (list) throws(HCI.ErrorCode) in
                try list.setMode(command.mode, of: identity(command.peerIdentity))
            }
        },
    ]

    /// Returns the identity address that a command specifies. Only the types 0x00 and 0x01 are
    /// valid.
    ///
    /// - Throws: `invalidCommandParameters` for another address type.
    fileprivate static func identity(
        _ field: HCI.PeerAddress
    ) throws(HCI.ErrorCode) -> DeviceAddress {
        switch field.type {
        case .public: DeviceAddress(value: field.value, kind: .public)
        case .random: DeviceAddress(value: field.value, kind: .random)
        default: throw .invalidCommandParameters
        }
    }

    /// Returns the address in the form of return parameters.
    ///
    /// - Throws: `unknownConnectionIdentifier` if there is no address.
    private static func bare(_ address: DeviceAddress?) throws(HCI.ErrorCode) -> HCI.BareAddress {
        guard let address else { throw .unknownConnectionIdentifier }
        return HCI.BareAddress(address)
    }
}

extension VirtualController {
    fileprivate mutating func addToResolvingList(
        _ command: HCI.LEAddDeviceToResolvingList,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        let entry = ResolvingListEntry(
            peer: try ResolvingList.identity(command.peerIdentity),
            peerKey: command.peerKey,
            localKey: command.localKey
        )
        let now = ether.now
        var generator = generator
        try changeResolvingList(&ether) { (list) throws(HCI.ErrorCode) in
            try list.add(entry, at: now, using: &generator)
        }
        self.generator = generator
    }

    fileprivate mutating func setAddressTimeout(
        _ timeout: HCI.AddressTimeout,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        guard ResolvingList.timeoutRange.contains(timeout.rawValue) else {
            throw .invalidCommandParameters
        }
        resolvingList.setTimeout(timeout.duration)
        scheduleReplacement(&ether)
    }

    fileprivate mutating func setAddressResolution(
        _ enables: Bool,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        guard !isOnAir else { throw .commandDisallowed }
        resolvingList.setEnabled(enables, at: ether.now, using: &generator)
        scheduleReplacement(&ether)
    }

    /// Changes the list, unless resolution is enabled and the advertiser, the scanner or the
    /// initiator may use it.
    fileprivate mutating func changeResolvingList(
        _ ether: inout Ether,
        _ change: (inout ResolvingList) throws(HCI.ErrorCode) -> Void
    ) throws(HCI.ErrorCode) {
        guard !(resolvingList.isEnabled && isOnAir) else { throw .commandDisallowed }
        try change(&resolvingList)
        scheduleReplacement(&ether)
    }
}
