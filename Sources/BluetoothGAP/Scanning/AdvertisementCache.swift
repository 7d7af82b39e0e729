// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The last advertisement and scan response of each advertising set, for merging them and for
/// recognizing a report that repeats the last one.
///
/// The cache is bounded by two generations. A report moves its set into the young generation. When
/// the young generation is full, it replaces the old one. The cache therefore holds at least the
/// last `generationLimit` sets and at most twice as many, at the cost of two lookups.
struct AdvertisementCache: Sendable {
    /// An advertising set of an advertiser.
    struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let setIdentifier: UInt8?
    }

    /// The parsed data, which repeated reports share.
    struct Payload: Sendable {
        /// The advertisement with its scan response.
        let data: AdvertisingData
        /// The bytes of the advertisement or scan response alone.
        let rawData: [UInt8]
        /// The transmit power in the data.
        let txPower: Int?

        init(data: AdvertisingData, rawData: [UInt8]) {
            self.data = data
            self.rawData = rawData
            txPower = data.txPowerLevel
        }
    }

    fileprivate struct Entry: Sendable {
        var isConnectable = false
        var advertisement: Payload?
        var scanResponse: Payload?
    }

    /// The number of advertising sets in a generation.
    static let generationLimit = 1024

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]

    /// Records a report.
    ///
    /// - Returns: The parsed data, which is new only if the bytes are new, and whether the sender
    ///   accepts connections, which a legacy scan response does not state.
    mutating func record(
        _ key: Key,
        _ bytes: ArraySlice<UInt8>,
        isScanResponse: Bool,
        isConnectable: Bool
    ) -> (payload: Payload, isConnectable: Bool) {
        makeYoung(key)
        return young[key, default: Entry()]
            .take(bytes, isScanResponse: isScanResponse, isConnectable: isConnectable)
    }

    private mutating func makeYoung(_ key: Key) {
        guard young[key] == nil else { return }
        if young.count >= Self.generationLimit {
            old = young
            young = [:]
        }
        young[key] = old.removeValue(forKey: key) ?? Entry()
    }
}

extension AdvertisementCache.Entry {
    fileprivate mutating func take(
        _ bytes: ArraySlice<UInt8>,
        isScanResponse: Bool,
        isConnectable: Bool
    ) -> (payload: AdvertisementCache.Payload, isConnectable: Bool) {
        if isScanResponse {
            if let scanResponse, scanResponse.rawData[...] == bytes {
                return (scanResponse, self.isConnectable)
            }
        } else {
            self.isConnectable = isConnectable
            if let advertisement, advertisement.rawData[...] == bytes {
                return (advertisement, isConnectable)
            }
        }
        let payload = renew(with: Array(bytes), isScanResponse: isScanResponse)
        return (payload, self.isConnectable)
    }

    /// Merges advertisement and scan response again after one of them changed.
    private mutating func renew(
        with bytes: [UInt8],
        isScanResponse: Bool
    ) -> AdvertisementCache.Payload {
        let other = isScanResponse ? advertisement?.rawData : scanResponse?.rawData
        let (first, second) = isScanResponse ? (other, bytes) : (bytes, other)
        let data = AdvertisingData(first ?? [])
            .merging(scanResponse: AdvertisingData(second ?? []))
        let payload = AdvertisementCache.Payload(data: data, rawData: bytes)
        let twin = other.map { AdvertisementCache.Payload(data: data, rawData: $0) }
        (advertisement, scanResponse) = isScanResponse ? (twin, payload) : (payload, twin)
        return payload
    }
}
