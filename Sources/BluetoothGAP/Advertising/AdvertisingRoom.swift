// SPDX-License-Identifier: Apache-2.0

/// How many octets an advertiser of some kind can say, unasked and to those who ask.
public struct AdvertisingRoom: Sendable, Hashable {
    /// The octets of the advertising data.
    public let advertisingData: Int
    /// The octets of the scan response.
    public let scanResponse: Int

    /// Makes the room of an advertiser.
    public init(advertisingData: Int, scanResponse: Int) {
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
    }

    /// A legacy advertiser that can be connected to, or at least asked.
    public static let legacy = AdvertisingRoom(
        advertisingData: AdvertisingData.legacyLimit,
        scanResponse: AdvertisingData.legacyLimit
    )

    /// What an extended packet has room for beside the header of those that can be connected to:
    /// such a packet stands alone, since it is the one that is answered (Vol 6, Part B, 2.3.1.6 and
    /// 2.3.4).
    private static let connectableLimit = 245
    private static let targetLength = 6
    private static let powerLength = 1

    /// The room of an advertiser as it is asked for, on a controller that takes up to `limit`
    /// octets of extended data (LE Read Maximum Advertising Data Length).
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
        let isDirected = if case .directed = advertising.kind { true } else { false }
        return connectableLimit - (isDirected ? targetLength : 0)
            - (advertising.includesTransmitPower ? powerLength : 0)
    }
}
