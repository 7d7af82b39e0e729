// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The properties of a controller, which the host reads once at startup.
package struct ControllerCapabilities: Sendable, Equatable {
    package typealias LocalVersion = HCI.ReadLocalVersionInformation.ReturnParameters
    package typealias MaximumDataLength = HCI.LEReadMaximumDataLength.ReturnParameters

    package var version: LocalVersion
    package var commands: HCI.SupportedCommands
    /// The LMP features, or an empty set if the controller does not report them.
    package var features: HCI.LMPFeatures = []
    package var leFeatures: HCI.LEFeatures = []
    /// The activities that the controller can combine, such as scanning while advertising, or an
    /// empty set if the controller does not report them.
    package var states: HCI.LESupportedStates = []
    /// The public address, or `nil` if the controller has none.
    package var publicAddress: DeviceAddress?
    /// The random address that startup set, or `nil` if it set none or the controller refused it.
    package var randomAddress: DeviceAddress?
    /// The maximum payload of an ACL packet in bytes, without the header.
    package var aclPacketLength = 0
    /// The number of ACL packets that the controller can buffer.
    package var aclPacketCount = 0
    /// The capacity of the Filter Accept List in devices, or 0 if there is no list.
    package var filterAcceptListSize = 0
    /// The number of peers whose keys the controller can store, or 0 if it does not resolve
    /// addresses.
    package var resolvingListSize = 0
    /// The maximum packet length on the air, or `nil` if the controller does not report it: the
    /// length is then 27 bytes.
    package var maximumDataLength: MaximumDataLength?
    /// The maximum length of an advertising set's data in bytes: 31 without extended advertising.
    package var maximumAdvertisingDataLength = HCI.LegacyAdvertisingData.lengthLimit
    /// The number of advertising sets: 1 without extended advertising.
    package var advertisingSetCount = 1

    package init(version: LocalVersion, commands: HCI.SupportedCommands) {
        self.version = version
        self.commands = commands
    }

    /// Returns whether the controller lists the command as supported.
    package func supports(_ command: (some HCICommand).Type) -> Bool {
        commands.contains(command.opcode)
    }

    /// Whether scanning can receive extended advertising.
    package var supportsExtendedScanning: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LESetExtendedScanParameters.self)
            && supports(HCI.LESetExtendedScanEnable.self)
    }

    /// Whether the controller can create links to extended advertisers.
    package var supportsExtendedInitiating: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LEExtendedCreateConnection.self)
    }

    /// Whether the controller supports advertising sets.
    package var supportsExtendedAdvertising: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LESetExtendedAdvertisingParameters.self)
            && supports(HCI.LESetExtendedAdvertisingEnable.self)
    }

    /// Whether the host uses the extended commands for advertising, scanning and initiating.
    ///
    /// A controller that has received an extended command refuses all legacy commands, and one that
    /// has received a legacy command refuses all extended commands (Vol 4, Part E, 3.1.1). The host
    /// therefore uses the extended commands for all three activities or for none. It uses them only
    /// if each activity that the legacy commands support is also supported by extended commands.
    package var usesExtendedCommands: Bool {
        let canScan = supports(HCI.LESetScanEnable.self)
        let canInitiate = supports(HCI.LECreateConnection.self)
        let canAdvertise = supports(HCI.LESetAdvertisingEnable.self)
        guard supportsExtendedScanning || supportsExtendedInitiating || supportsExtendedAdvertising
        else { return false }
        return (supportsExtendedScanning || !canScan)
            && (supportsExtendedInitiating || !canInitiate)
            && (supportsExtendedAdvertising || !canAdvertise)
    }
}
