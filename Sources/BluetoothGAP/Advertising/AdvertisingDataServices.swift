// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdvertisingData {
    /// The service UUIDs of every length, from complete and incomplete lists, each once and in
    /// their order in the data.
    public var serviceUUIDs: [BluetoothUUID] {
        uuids { type in
            switch type {
            case .incompleteServiceUUIDs16, .completeServiceUUIDs16: 2
            case .incompleteServiceUUIDs32, .completeServiceUUIDs32: 4
            case .incompleteServiceUUIDs128, .completeServiceUUIDs128: 16
            default: nil
            }
        }
    }

    /// Whether the device reports that `serviceUUIDs` is incomplete.
    public var hasIncompleteServiceUUIDs: Bool {
        structures.contains { structure in
            switch structure.type {
            case .incompleteServiceUUIDs16, .incompleteServiceUUIDs32,
                .incompleteServiceUUIDs128:
                true
            default: false
            }
        }
    }

    /// The services that the peripheral solicits.
    public var solicitedServiceUUIDs: [BluetoothUUID] {
        uuids { type in
            switch type {
            case .solicitedServiceUUIDs16: 2
            case .solicitedServiceUUIDs32: 4
            case .solicitedServiceUUIDs128: 16
            default: nil
            }
        }
    }

    /// The data of each service. If a service occurs twice, the first data counts.
    public var serviceData: [BluetoothUUID: [UInt8]] {
        var result: [BluetoothUUID: [UInt8]] = [:]
        for structure in structures {
            guard let length = Self.serviceDataUUIDLength(structure.type),
                let uuid = BluetoothUUID(littleEndian: structure.value.prefix(length)),
                structure.value.count >= length, result[uuid] == nil
            else { continue }
            result[uuid] = Array(structure.value.dropFirst(length))
        }
        return result
    }

    /// The first manufacturer data, or `nil` if there is none or its company identifier is missing.
    public var manufacturerData: ManufacturerData? {
        firstValue(of: .manufacturerData).flatMap(ManufacturerData.init)
    }

    /// All manufacturer data in the order of the advertisement.
    public var allManufacturerData: [ManufacturerData] {
        structures.lazy.filter { $0.type == .manufacturerData }
            .compactMap { ManufacturerData($0.value) }
    }

    private static func serviceDataUUIDLength(_ type: DataType) -> Int? {
        switch type {
        case .serviceData16: 2
        case .serviceData32: 4
        case .serviceData128: 16
        default: nil
        }
    }

    private func uuids(_ length: (DataType) -> Int?) -> [BluetoothUUID] {
        var result: [BluetoothUUID] = []
        for structure in structures {
            guard let length = length(structure.type) else { continue }
            for chunk in structure.value.chunks(of: length) {
                guard let uuid = BluetoothUUID(littleEndian: chunk), !result.contains(uuid)
                else { continue }
                result.append(uuid)
            }
        }
        return result
    }
}

extension AdvertisingData {
    /// The data of a company (Supplement, Part A, 1.4).
    public struct ManufacturerData: Hashable, Sendable {
        /// The company's assigned number (Assigned Numbers, 7.1).
        public let company: UInt16

        /// The bytes after the company identifier.
        public let bytes: [UInt8]

        /// Creates the data of a company.
        public init(company: UInt16, bytes: [UInt8]) {
            self.company = company
            self.bytes = bytes
        }

        init?(_ value: ArraySlice<UInt8>) {
            guard value.count >= 2 else { return nil }
            company = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
            bytes = Array(value.dropFirst(2))
        }
    }
}
