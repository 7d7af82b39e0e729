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

    /// A discovery procedure, which selects devices by the Flags in their advertising data.
    public enum DiscoveryProcedure: String, Sendable, CaseIterable {
        /// General discovery: devices in general or limited discoverable mode (Vol 3, Part C,
        /// 9.2.6).
        case general
        /// Limited discovery: devices in limited discoverable mode only (Vol 3, Part C, 9.2.5).
        case limited
    }

    /// The services to look for. The device must advertise at least one of them. An empty set adds
    /// no condition.
    public var services: Set<BluetoothUUID>

    /// The solicited services to look for. The device must solicit at least one of them. An empty
    /// set adds no condition.
    public var solicitedServices: Set<BluetoothUUID> = []

    /// The local name, or `nil` for any. An advertisement without a complete name is compared by
    /// its shortened name.
    public var name: String?

    /// The beginning of the local name, or `nil` for any.
    public var namePrefix: String?

    /// Whether ``name`` and ``namePrefix`` distinguish upper and lower case.
    public var isNameCaseSensitive = true

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

    /// The discovery procedure that the scan performs, or `nil` for none.
    ///
    /// A discovery procedure omits broadcasters and devices that do not announce in their Flags
    /// that they are discoverable, and it omits directed advertisements. Without a procedure, the
    /// scan observes: it reports them as well (Vol 3, Part C, 9.1.2).
    public var discoveryProcedure: DiscoveryProcedure?

    /// Creates a filter with the most common conditions.
    public init(
        services: Set<BluetoothUUID> = [],
        name: String? = nil,
        namePrefix: String? = nil,
        minimumRSSI: Int? = nil,
        discoveryProcedure: DiscoveryProcedure? = nil
    ) {
        self.services = services
        self.name = name
        self.namePrefix = namePrefix
        self.minimumRSSI = minimumRSSI
        self.discoveryProcedure = discoveryProcedure
    }

    /// Returns whether the advertisement matches all conditions.
    public func matches(_ advertisement: Advertisement) -> Bool {
        admitsSignal(advertisement) && admitsData(advertisement)
    }

    /// Returns whether the conditions on the signal strength, on connectability and on the target
    /// hold. Their result can change while the data stays the same.
    func admitsSignal(_ advertisement: Advertisement) -> Bool {
        if let minimumRSSI, let rssi = advertisement.rssi, rssi < minimumRSSI { return false }
        if discoveryProcedure != nil, advertisement.isDirected { return false }
        return !requiresConnectable || advertisement.isConnectable
    }

    /// Returns whether the conditions on the data hold.
    func admitsData(_ advertisement: Advertisement) -> Bool {
        let data = advertisement.data
        return admitsFlags(data) && admitsName(data)
            && (services.isEmpty || data.serviceUUIDs.contains(where: services.contains))
            && (solicitedServices.isEmpty
                || data.solicitedServiceUUIDs.contains(where: solicitedServices.contains))
            && admitsManufacturerData(data) && admitsServiceData(data)
    }

    private func admitsFlags(_ data: AdvertisingData) -> Bool {
        guard let discoveryProcedure else { return true }
        guard let flags = data.flags else { return false }
        return flags.contains(.limitedDiscoverable)
            || discoveryProcedure == .general && flags.contains(.generalDiscoverable)
    }

    private func admitsName(_ data: AdvertisingData) -> Bool {
        guard name != nil || namePrefix != nil else { return true }
        guard let localName = data.localName.map(comparable) else { return false }
        return (name.map { comparable($0) == localName } ?? true)
            && (namePrefix.map { localName.hasPrefix(comparable($0)) } ?? true)
    }

    private func comparable(_ name: String) -> String {
        isNameCaseSensitive ? name : name.lowercased()
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
