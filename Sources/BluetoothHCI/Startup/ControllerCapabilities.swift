// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a controller is and can do, read once at start-up.
package struct ControllerCapabilities: Sendable, Equatable {
    package typealias LocalVersion = HCI.ReadLocalVersionInformation.ReturnParameters
    package typealias MaximumDataLength = HCI.LEReadMaximumDataLength.ReturnParameters

    package var version: LocalVersion
    package var commands: HCI.SupportedCommands
    /// Features beside LE; empty where the controller does not tell.
    package var features: HCI.LMPFeatures = []
    package var leFeatures: HCI.LEFeatures = []
    /// Which activities can be combined; empty where the controller does not tell.
    package var states: HCI.LESupportedStates = []
    /// Nil if the controller has none.
    package var publicAddress: DeviceAddress?
    /// The random address that start-up set; nil if the controller refused it.
    package var randomAddress: DeviceAddress?
    /// The most octets that one ACL packet may carry, header not counted.
    package var aclPacketLength = 0
    /// How many ACL packets the controller can hold.
    package var aclPacketCount = 0
    /// How many devices the Filter Accept List holds; 0 if there is none.
    package var filterAcceptListSize = 0
    /// How many peers' keys the controller can keep; 0 if it does not resolve addresses.
    package var resolvingListSize = 0
    /// Nil where the length of packets on the air is fixed, at 27 octets.
    package var maximumDataLength: MaximumDataLength?
    /// How many octets an advertising set can advertise; 31 without extended advertising.
    package var maximumAdvertisingDataLength = HCI.LegacyAdvertisingData.lengthLimit
    /// How many advertising sets there can be; 1 without extended advertising.
    package var advertisingSetCount = 1

    package init(version: LocalVersion, commands: HCI.SupportedCommands) {
        self.version = version
        self.commands = commands
    }

    /// Whether the controller lists the command.
    package func supports(_ command: (some HCICommand).Type) -> Bool {
        commands.contains(command.opcode)
    }

    /// Whether scanning can hear extended advertising. Then only the extended commands may be used
    /// for it: a controller refuses the legacy ones once it has seen an extended one
    /// (Vol 4, Part E, 3.1.1).
    package var supportsExtendedScanning: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LESetExtendedScanParameters.self)
            && supports(HCI.LESetExtendedScanEnable.self)
    }

    /// Whether links can be made to extended advertisers.
    package var supportsExtendedInitiating: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LEExtendedCreateConnection.self)
    }

    /// Whether there are advertising sets.
    package var supportsExtendedAdvertising: Bool {
        leFeatures.contains(.extendedAdvertising)
            && supports(HCI.LESetExtendedAdvertisingParameters.self)
            && supports(HCI.LESetExtendedAdvertisingEnable.self)
    }

    /// Whether the controller can look for advertisers while it makes a link. One that does not
    /// tell its states is taken at its word only when it refuses.
    package var supportsScanningWhileInitiating: Bool {
        states.contains(.activeScanningAndInitiating)
            && states.contains(.passiveScanningAndInitiating)
    }

    /// Whether to use the extended commands for advertising, scanning and initiating. A controller
    /// that has seen one of them refuses all legacy ones, and the other way round
    /// (Vol 4, Part E, 3.1.1): so they are used for everything or for nothing, and for everything
    /// only if nothing is lost by that.
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
