// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The conditions that an advertisement must meet to be reported by a scan. All conditions must
/// hold. An empty filter accepts every advertisement.
///
/// ```swift
/// var filter = ScanFilter(services: [BluetoothUUID(0x180D)])
/// filter.minimumRSSI = -80
/// ```
public struct ScanFilter: Sendable, Hashable {
    /// The bytes at the start of a field, with an optional mask.
    public struct Pattern: Sendable, Hashable {
        /// The bytes at the start. An empty array matches every field.
        public var bytes: [UInt8]
        /// The bits to compare. All bits are compared in bytes beyond the end of the mask.
        public var mask: [UInt8]

        /// Creates a pattern.
        public init(_ bytes: [UInt8] = [], mask: [UInt8] = []) {
            self.bytes = bytes
            self.mask = mask
        }

        func matches(_ value: some Collection<UInt8>) -> Bool {
            guard value.count >= bytes.count else { return false }
            return zip(bytes, value).enumerated().allSatisfy { index, pair in
                (pair.0 ^ pair.1) & (index < mask.count ? mask[index] : 0xFF) == 0
            }
        }
    }

    /// The services to look for. The device must advertise at least one of them. An empty set is no
    /// condition.
    public var services: Set<BluetoothUUID>

    /// The solicited services to look for. The device must solicit at least one of them. An empty
    /// set adds no condition.
    public var solicitedServices: Set<BluetoothUUID> = []

    /// The local name, or `nil` for any. An advertisement without a complete name is compared by
    /// its shortened name.
    public var name: String?

    /// The beginning of the local name, or `nil` for any.
    public var namePrefix: String?

    /// The manufacturer data to look for, by company identifier. At least one entry must match. An
    /// empty dictionary adds no condition.
    public var manufacturerData: [UInt16: Pattern] = [:]

    /// The service data to look for, by service. At least one entry must match. An empty dictionary
    /// adds no condition.
    public var serviceData: [BluetoothUUID: Pattern] = [:]

    /// The minimum signal strength in dBm, or `nil` for any. Advertisements without a signal
    /// strength match.
    public var minimumRSSI: Int?

    /// Whether the advertiser must accept connections.
    public var requiresConnectable = false

    /// Creates a filter with the most common conditions.
    public init(
        services: Set<BluetoothUUID> = [],
        name: String? = nil,
        namePrefix: String? = nil,
        minimumRSSI: Int? = nil
    ) {
        self.services = services
        self.name = name
        self.namePrefix = namePrefix
        self.minimumRSSI = minimumRSSI
    }

    /// Returns whether the advertisement matches all conditions.
    public func matches(_ advertisement: Advertisement) -> Bool {
        admitsSignal(advertisement) && admitsData(advertisement)
    }

    /// Returns whether the conditions on the signal strength and on connectability hold. Their
    /// result can change while the data stays the same.
    func admitsSignal(_ advertisement: Advertisement) -> Bool {
        if let minimumRSSI, let rssi = advertisement.rssi, rssi < minimumRSSI { return false }
        return !requiresConnectable || advertisement.isConnectable
    }

    /// Returns whether the conditions on the data hold.
    func admitsData(_ advertisement: Advertisement) -> Bool {
        let data = advertisement.data
        return admitsName(data)
            && (services.isEmpty || data.serviceUUIDs.contains(where: services.contains))
            && (solicitedServices.isEmpty
                || data.solicitedServiceUUIDs.contains(where: solicitedServices.contains))
            && admitsManufacturerData(data) && admitsServiceData(data)
    }

    private func admitsName(_ data: AdvertisingData) -> Bool {
        guard name != nil || namePrefix != nil else { return true }
        guard let localName = data.localName else { return false }
        return (name.map { $0 == localName } ?? true)
            && (namePrefix.map(localName.hasPrefix) ?? true)
    }

    private func admitsManufacturerData(_ data: AdvertisingData) -> Bool {
        manufacturerData.isEmpty
            || data.allManufacturerData.contains { entry in
                manufacturerData[entry.company]?.matches(entry.bytes) ?? false
            }
    }

    private func admitsServiceData(_ data: AdvertisingData) -> Bool {
        serviceData.isEmpty
            || data.serviceData.contains { uuid, bytes in
                serviceData[uuid]?.matches(bytes) ?? false
            }
    }
}
