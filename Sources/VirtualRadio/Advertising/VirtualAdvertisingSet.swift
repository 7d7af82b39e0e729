// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// An advertising set.
struct VirtualAdvertisingSet: Sendable {
    /// The handle of the set of the legacy commands, which do not identify a set.
    static let legacyHandle: UInt8 = 0

    /// The advertising handle that the host chose.
    let handle: UInt8
    /// Whether the legacy commands created the set. Such a set uses the random address of the
    /// device.
    let isOfLegacyCommands: Bool
    /// The advertising parameters.
    var configuration: AdvertisingSetConfiguration
    /// The set's own random address (LE Set Advertising Set Random Address).
    var randomAddress: DeviceAddress?
    /// The advertising data.
    var data = AdvertisedData()
    /// The scan response data.
    var response = AdvertisedData()
    /// The Advertising DID, which changes with the data.
    var dataID: UInt16
    /// The state while the set is enabled; `nil` while it is disabled.
    var run: AdvertisingRun?

    init(
        handle: UInt8,
        configuration: AdvertisingSetConfiguration,
        isOfLegacyCommands: Bool = false,
        dataID: UInt16 = 0
    ) {
        self.handle = handle
        self.configuration = configuration
        self.isOfLegacyCommands = isOfLegacyCommands
        self.dataID = dataID & Self.dataIDMask
    }

    /// The bits of the Advertising DID, which has 12 (Vol 6, Part B, 2.3.4.4).
    private static let dataIDMask: UInt16 = 0x0FFF

    /// Returns the advertising parameters and the set's random address: for a set of the legacy
    /// commands, the address of the device. The method is mutating, so that a caller does not copy
    /// the set.
    mutating func addressing(
        _ deviceAddress: DeviceAddress?
    ) -> (configuration: AdvertisingSetConfiguration, random: DeviceAddress?) {
        (configuration, isOfLegacyCommands ? deviceAddress : randomAddress)
    }

    /// Changes the Advertising DID, so that scanners read the data again.
    mutating func renewDataID() {
        dataID = (dataID &+ 1) & Self.dataIDMask
    }
}

/// The data of a set, which may arrive in fragments.
struct AdvertisedData: Sendable {
    /// The bytes that have arrived so far.
    var bytes: [UInt8] = []
    /// Whether more fragments follow.
    var isPartial = false
}
