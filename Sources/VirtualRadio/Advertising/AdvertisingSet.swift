// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// One thing that a controller advertises.
struct AdvertisingSet: Sendable {
    /// The set of the legacy commands, which have no name for it.
    static let legacyHandle: UInt8 = 0

    /// The host's name for it.
    let handle: UInt8
    /// Whether the legacy commands made it, which use the random address of the whole device.
    let isOfLegacyCommands: Bool
    /// How it advertises.
    var manner: AdvertisingManner
    /// Its own random address (LE Set Advertising Set Random Address).
    var randomAddress: DeviceAddress?
    /// What everybody gets.
    var data = AdvertisedData()
    /// What those get that ask for more.
    var response = AdvertisedData()
    /// The Advertising DID: another one when the data is another.
    var dataID: UInt16
    /// What it is doing; nil while it is not enabled.
    var run: AdvertisingRun?

    init(
        handle: UInt8,
        manner: AdvertisingManner,
        isOfLegacyCommands: Bool = false,
        dataID: UInt16 = 0
    ) {
        self.handle = handle
        self.manner = manner
        self.isOfLegacyCommands = isOfLegacyCommands
        self.dataID = dataID & Self.dataIDMask
    }

    /// The Advertising DID has 12 bits (Vol 6, Part B, 2.3.4.4).
    private static let dataIDMask: UInt16 = 0x0FFF

    /// The data is another, or to be taken for another.
    mutating func renewDataID() {
        dataID = (dataID &+ 1) & Self.dataIDMask
    }
}

/// Data of a set, which may come in pieces.
struct AdvertisedData: Sendable {
    /// What came so far.
    var octets: [UInt8] = []
    /// Whether there is more to come.
    var isPartial = false
}
