// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// One sighting of an advertiser: who, how strong, and what it said.
public struct Advertisement: Sendable, Hashable {
    /// Who it is: the identity address of a bonded peer that was recognised by its private address
    /// (`isIdentityResolved`), and of anybody else the address with which it advertised.
    public var address: DeviceAddress

    /// Whether a private address was recognised, by the controller or by the host, and `address` is
    /// the identity address that belongs to it (Vol 6, Part B, 1.3.2.3).
    public var isIdentityResolved: Bool

    /// The private address that was on the air in place of `address`; nil if `address` itself was,
    /// or if the controller, which recognised it, did not tell.
    public var privateAddress: DeviceAddress?

    /// Whether it accepts connections. Of a legacy scan response whose advertisement was never
    /// heard this is not known, and false.
    public var isConnectable: Bool

    /// Whether it answers scan requests.
    public var isScannable: Bool

    /// Whether it called one device (us) and no other.
    public var isDirected: Bool

    /// Whether legacy PDUs carried it: at most 31 bytes, always on LE 1M.
    public var isLegacy: Bool

    /// Whether this sighting was a scan response.
    public var isScanResponse: Bool

    /// Whether the controller lost the end of the data, or it exceeded the bounds kept here.
    public var isTruncated: Bool

    /// The received signal strength in dBm; nil if not available.
    public var rssi: Int?

    /// The power at which it was sent in dBm, from the extended header or else from the data; nil
    /// if neither says.
    public var txPower: Int?

    /// The PHY of the primary advertising channel.
    public var primaryPHY: PHY

    /// The PHY that carried the data of an extended advertisement; nil if there was none.
    public var secondaryPHY: PHY?

    /// The advertising set (SID) of an extended advertisement, 0 to 15.
    public var setIdentifier: UInt8?

    /// The interval of the periodic advertising that belongs to the set; nil if there is none.
    public var periodicInterval: Duration?

    /// What it says, with the newest scan response merged in.
    public var data: AdvertisingData

    /// The bytes of this sighting alone, nothing merged.
    public var rawData: [UInt8]

    /// Makes a sighting; what is left out is as in an undirected connectable legacy advertisement.
    public init(
        address: DeviceAddress,
        isIdentityResolved: Bool = false,
        isConnectable: Bool = true,
        isScannable: Bool = true,
        isDirected: Bool = false,
        isLegacy: Bool = true,
        isScanResponse: Bool = false,
        isTruncated: Bool = false,
        rssi: Int? = nil,
        txPower: Int? = nil,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY? = nil,
        setIdentifier: UInt8? = nil,
        periodicInterval: Duration? = nil,
        data: AdvertisingData = AdvertisingData([]),
        rawData: [UInt8]? = nil
    ) {
        self.address = address
        self.isIdentityResolved = isIdentityResolved
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.isDirected = isDirected
        self.isLegacy = isLegacy
        self.isScanResponse = isScanResponse
        self.isTruncated = isTruncated
        self.rssi = rssi
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.setIdentifier = setIdentifier
        self.periodicInterval = periodicInterval
        self.data = data
        self.rawData = rawData ?? data.bytes
    }
}

extension Advertisement {
    /// Makes a sighting of data that may have been heard before.
    init(
        address: DeviceAddress,
        isIdentityResolved: Bool,
        isConnectable: Bool,
        isScannable: Bool,
        isDirected: Bool,
        isLegacy: Bool = true,
        isScanResponse: Bool,
        rssi: Int?,
        sighting: SightingMemory.Sighting
    ) {
        self.init(
            address: address,
            isIdentityResolved: isIdentityResolved,
            isConnectable: isConnectable,
            isScannable: isScannable,
            isDirected: isDirected,
            isLegacy: isLegacy,
            isScanResponse: isScanResponse,
            rssi: rssi,
            txPower: sighting.txPower,
            data: sighting.data,
            rawData: sighting.rawData
        )
    }
}
