// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// An advertisement or scan response that was received.
public struct Advertisement: Sendable, Hashable {
    /// The address of the advertiser: the identity address of a bonded peer if its private address
    /// was resolved (`isIdentityResolved`), and the address on the air otherwise.
    public var address: DeviceAddress

    /// Whether the controller or the host resolved a private address, so that `address` is the
    /// identity address (Vol 6, Part B, 1.3.2.3).
    public var isIdentityResolved: Bool

    /// The private or other fixed address on the air, or `nil` if `address` was on the air or if the
    /// controller resolved the private address without reporting it.
    public var privateAddress: DeviceAddress?

    /// Whether the advertiser accepts connections. For a legacy scan response without its
    /// advertisement, this is unknown, and the value is `false`.
    public var isConnectable: Bool

    /// Whether the advertiser answers scan requests.
    public var isScannable: Bool

    /// Whether the advertisement was directed at this host.
    public var isDirected: Bool

    /// Whether the advertisement arrived in legacy PDUs, which carry at most 31 bytes of data and
    /// use LE 1M.
    public var isLegacy: Bool

    /// Whether this is a scan response.
    public var isScanResponse: Bool

    /// Whether the end of the data is missing, because the controller lost it or because the data
    /// exceeded the limits of the host.
    public var isTruncated: Bool

    /// The received signal strength in dBm, or `nil` if it is not available.
    public var rssi: Int?

    /// The transmit power in dBm, from the extended header or else from the data, or `nil` if
    /// neither contains it.
    public var txPower: Int?

    /// The PHY of the primary advertising channel.
    public var primaryPHY: PHY

    /// The PHY that carried the data of an extended advertisement, or `nil` if there was none.
    public var secondaryPHY: PHY?

    /// The advertising set (SID) of an extended advertisement, 0 to 15; `nil` if there is none.
    public var setIdentifier: UInt8?

    /// The interval of the set's periodic advertising, or `nil` if there is none.
    public var periodicInterval: Duration?

    /// The data of the newest advertisement, merged with the newest scan response.
    public var data: AdvertisingData

    /// The bytes of this advertisement or scan response alone.
    public var rawData: [UInt8]

    /// Creates an advertisement. The default values are those of an undirected connectable legacy
    /// advertisement.
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
    /// Creates an advertisement with the parsed data from the cache.
    init(
        address: DeviceAddress,
        isIdentityResolved: Bool,
        isConnectable: Bool,
        isScannable: Bool,
        isDirected: Bool,
        isLegacy: Bool = true,
        isScanResponse: Bool,
        rssi: Int?,
        payload: AdvertisementCache.Payload
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
            txPower: payload.txPower,
            data: payload.data,
            rawData: payload.rawData
        )
    }
}
