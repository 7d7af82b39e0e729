// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdvertisingData {
    /// A builder of advertising data, structure by structure, up to a limit.
    ///
    /// ```swift
    /// var builder = AdvertisingData.Builder()
    /// try builder.append(flags: [.generalDiscoverable, .brEdrNotSupported])
    /// try builder.append(serviceUUIDs: [BluetoothUUID(0x180D)])
    /// builder.appendLocalName("Thermometer in the attic")  // shortened, since it does not fit
    /// let data = builder.data
    /// ```
    public struct Builder: Sendable {
        /// The error for a structure that does not fit into the remaining room. No part of the
        /// structure was written.
        public struct DoesNotFit: Error, Hashable, Sendable {
            /// The number of bytes that the structure needs, with length and type.
            public let needed: Int
            /// The number of bytes that were left.
            public let available: Int
        }

        /// The maximum number of bytes.
        public let limit: Int

        private var bytes: [UInt8] = []

        /// The maximum number of bytes in the value of a structure.
        private static let valueLimit = Int(UInt8.max) - 1

        /// Creates a builder for up to `limit` bytes, by default those of a legacy advertisement. A
        /// limit beyond `extendedLimit` is reduced to it.
        public init(limit: Int = AdvertisingData.legacyLimit) {
            self.limit = min(max(limit, 0), AdvertisingData.extendedLimit)
        }

        /// The data so far.
        public var data: AdvertisingData { AdvertisingData(bytes) }

        /// The maximum number of bytes in the value of the next structure.
        public var room: Int { min(max(0, limit - bytes.count - 2), Self.valueLimit) }

        /// Appends a structure of any type.
        public mutating func append(
            _ type: DataType,
            _ value: some Collection<UInt8>
        ) throws(DoesNotFit) {
            guard value.count <= Self.valueLimit, bytes.count + 2 + value.count <= limit else {
                throw DoesNotFit(needed: value.count + 2, available: limit - bytes.count)
            }
            bytes.append(UInt8(value.count + 1))
            bytes.append(type.rawValue)
            bytes += value
        }

        /// Appends the flags.
        public mutating func append(flags: Flags) throws(DoesNotFit) {
            try append(.flags, [flags.rawValue])
        }

        /// Appends the name, or as many of its characters as fit, marked as shortened. Appends
        /// nothing if no character fits.
        public mutating func appendLocalName(_ name: String) {
            if (try? append(.completeLocalName, Array(name.utf8))) != nil { return }
            var kept = Substring(name)
            while kept.utf8.count > room { kept = kept.dropLast() }
            guard !kept.isEmpty else { return }
            try? append(.shortenedLocalName, Array(kept.utf8))
        }

        /// Appends service UUIDs as complete lists, or as incomplete ones if `areAll` is `false`.
        /// Appends none if they do not all fit.
        public mutating func append(
            serviceUUIDs uuids: [BluetoothUUID],
            areAll: Bool = true
        ) throws(DoesNotFit) {
            let lists: [(width: Int, complete: DataType, incomplete: DataType)] = [
                (2, .completeServiceUUIDs16, .incompleteServiceUUIDs16),
                (4, .completeServiceUUIDs32, .incompleteServiceUUIDs32),
                (16, .completeServiceUUIDs128, .incompleteServiceUUIDs128),
            ]
            var attempt = self
            for list in lists {
                let value = uuids.map(\.advertisedBytes).filter { $0.count == list.width }
                guard !value.isEmpty else { continue }
                try attempt.append(areAll ? list.complete : list.incomplete, value.flatMap(\.self))
            }
            self = attempt
        }

        /// Appends a company's data.
        public mutating func append(manufacturerData: ManufacturerData) throws(DoesNotFit) {
            let company = manufacturerData.company
            let prefix = [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)]
            try append(.manufacturerData, prefix + manufacturerData.bytes)
        }

        /// Appends the data of a service.
        public mutating func append(
            serviceData: [UInt8],
            of uuid: BluetoothUUID
        ) throws(DoesNotFit) {
            let prefix = uuid.advertisedBytes
            let type: DataType =
                switch prefix.count {
                case 2: .serviceData16
                case 4: .serviceData32
                default: .serviceData128
                }
            try append(type, prefix + serviceData)
        }

        /// Appends the transmit power in dBm.
        public mutating func append(txPowerLevel: Int8) throws(DoesNotFit) {
            try append(.txPowerLevel, [UInt8(bitPattern: txPowerLevel)])
        }

        /// Appends the services that the device solicits. Appends none if they do not all fit.
        public mutating func append(
            solicitedServiceUUIDs uuids: [BluetoothUUID]
        ) throws(DoesNotFit) {
            let lists: [(width: Int, type: DataType)] = [
                (2, .solicitedServiceUUIDs16), (4, .solicitedServiceUUIDs32),
                (16, .solicitedServiceUUIDs128),
            ]
            var attempt = self
            for list in lists {
                let value = uuids.map(\.advertisedBytes).filter { $0.count == list.width }
                guard !value.isEmpty else { continue }
                try attempt.append(list.type, value.flatMap(\.self))
            }
            self = attempt
        }

        /// Appends the connection intervals that the device prefers, rounded down to steps of 1.25
        /// ms and limited to 7.5 ms to 4 s (Supplement, Part A, 1.9).
        public mutating func append(
            connectionIntervals intervals: ClosedRange<Duration>
        ) throws(DoesNotFit) {
            let ends = [intervals.lowerBound, intervals.upperBound].map { end in
                UInt16(clamping: min(max(end.nanoseconds / 1_250_000, 6), 3200))
            }
            let bytes = ends.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            try append(.peripheralConnectionIntervalRange, bytes)
        }

        /// Appends the appearance of the device.
        public mutating func append(appearance: UInt16) throws(DoesNotFit) {
            let bytes = [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]
            try append(.appearance, bytes)
        }
    }
}

extension BluetoothUUID {
    /// The UUID in as few bytes as advertising allows: 2, 4 or 16. Unlike advertising, ATT has no
    /// UUIDs of 4 bytes.
    var advertisedBytes: [UInt8] {
        guard short16 == nil, let short32 else { return attBytes }
        return (0..<4).map { UInt8(truncatingIfNeeded: short32 >> (8 * $0)) }
    }
}
