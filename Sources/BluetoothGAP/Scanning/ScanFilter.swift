// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Which advertisements a scan wants. Every condition that is set must hold; an empty filter lets
/// everything through.
///
/// ```swift
/// var filter = ScanFilter(services: [BluetoothUUID(0x180D)])
/// filter.minimumRSSI = -80
/// ```
public struct ScanFilter: Sendable, Hashable {
    /// Bytes that must stand at the start of a field, bit by bit where a mask says so.
    public struct Pattern: Sendable, Hashable {
        /// The bytes to find; empty matches anything.
        public var bytes: [UInt8]
        /// Which bits count; a byte without a mask counts whole.
        public var mask: [UInt8]

        /// Makes a pattern.
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

    /// At least one of these services is advertised; empty: no condition.
    public var services: Set<BluetoothUUID>

    /// At least one of these services is solicited; empty: no condition.
    public var solicitedServices: Set<BluetoothUUID> = []

    /// The whole local name; nil: no condition.
    public var name: String?

    /// How the local name begins; nil: no condition.
    public var namePrefix: String?

    /// Companies whose data is there and begins so; at least one; empty: no condition.
    public var manufacturerData: [UInt16: Pattern] = [:]

    /// Services whose data is there and begins so; at least one; empty: no condition.
    public var serviceData: [BluetoothUUID: Pattern] = [:]

    /// The weakest signal of interest in dBm; a sighting without signal strength passes.
    public var minimumRSSI: Int?

    /// Only advertisers that accept connections.
    public var requiresConnectable = false

    /// Makes a filter of the conditions used most.
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

    /// Whether the advertisement satisfies every condition.
    public func matches(_ advertisement: Advertisement) -> Bool {
        admitsSignal(advertisement) && admitsData(advertisement)
    }

    /// The conditions that may change from one sighting to the next although the data does not.
    func admitsSignal(_ advertisement: Advertisement) -> Bool {
        if let minimumRSSI, let rssi = advertisement.rssi, rssi < minimumRSSI { return false }
        return !requiresConnectable || advertisement.isConnectable
    }

    /// The conditions on the data alone.
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
