// SPDX-License-Identifier: Apache-2.0

/// The space that a kind of advertising has for data, in bytes.
public struct AdvertisingRoom: Sendable, Hashable {
    /// The number of bytes of the advertising data.
    public let advertisingData: Int
    /// The number of bytes of the scan response.
    public let scanResponse: Int

    /// Creates the room of a kind of advertising.
    public init(advertisingData: Int, scanResponse: Int) {
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
    }

    /// The room of connectable or scannable legacy advertising.
    public static let legacy = AdvertisingRoom(
        advertisingData: AdvertisingData.legacyLimit,
        scanResponse: AdvertisingData.legacyLimit
    )

    /// The room for data in a connectable extended packet, after its header. Such data is not
    /// chained, because the peer answers this packet (Vol 6, Part B, 2.3.1.6 and 2.3.4).
    private static let connectableLimit = 245
    private static let targetLength = 6
    private static let powerLength = 1

    /// Creates the room of an advertising request, on a controller with up to `limit` bytes of
    /// extended data (LE Read Maximum Advertising Data Length).
    init(for advertising: Advertising, limit: Int) {
        let limit = min(limit, AdvertisingData.extendedLimit)
        self =
            switch (advertising.form, advertising.kind) {
            case (.legacy, .connectable), (.legacy, .scannable): .legacy
            case (.legacy, .nonConnectable):
                AdvertisingRoom(advertisingData: AdvertisingData.legacyLimit, scanResponse: 0)
            case (.legacy, .directed): AdvertisingRoom(advertisingData: 0, scanResponse: 0)
            case (.extended, .scannable): AdvertisingRoom(advertisingData: 0, scanResponse: limit)
            case (.extended, .nonConnectable):
                AdvertisingRoom(advertisingData: limit, scanResponse: 0)
            case (.extended, .connectable), (.extended, .directed):
                AdvertisingRoom(
                    advertisingData: min(limit, Self.connectableRoom(of: advertising)),
                    scanResponse: 0
                )
            }
    }

    private static func connectableRoom(of advertising: Advertising) -> Int {
        connectableLimit - (advertising.target == nil ? 0 : targetLength)
            - (advertising.includesTransmitPower ? powerLength : 0)
    }
}
