// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import GRPCCore
import PandoraInterface

// A message as the bytes of advertising data (Core Specification Supplement, Part A, 1).
extension Pandora_DataTypes {
    /// The bytes of the message's fields. The flags are last, if the message has a discoverability
    /// mode.
    ///
    /// - Throws: `RPCError` if a value is not valid, too long, or to be filled in by the host.
    var bytes: [UInt8] {
        get throws {
            var writer = StructureWriter()
            try writeUUIDs(to: &writer)
            try writeTexts(to: &writer)
            try writeNumbers(to: &writer)
            try writeServiceData(to: &writer)
            try writeAddresses(to: &writer)
            if !leSupportedFeatures.isEmpty {
                try writer.add(.supportedFeatures, leSupportedFeatures)
            }
            if !manufacturerSpecificData.isEmpty {
                try writer.add(.manufacturerData, manufacturerSpecificData)
            }
            switch leDiscoverabilityMode {
            case .discoverableLimited:
                let flags: AdvertisingData.Flags = [.limitedDiscoverable, .brEdrNotSupported]
                try writer.add(.flags, [flags.rawValue])
            case .discoverableGeneral:
                let flags: AdvertisingData.Flags = [.generalDiscoverable, .brEdrNotSupported]
                try writer.add(.flags, [flags.rawValue])
            case .notDiscoverable, .UNRECOGNIZED: break
            }
            return writer.bytes
        }
    }

    private func writeUUIDs(to writer: inout StructureWriter) throws {
        try writer.add(.incompleteServiceUUIDs16, uuids: incompleteServiceClassUuids16, of: 2)
        try writer.add(.completeServiceUUIDs16, uuids: completeServiceClassUuids16, of: 2)
        try writer.add(.incompleteServiceUUIDs32, uuids: incompleteServiceClassUuids32, of: 4)
        try writer.add(.completeServiceUUIDs32, uuids: completeServiceClassUuids32, of: 4)
        try writer.add(.incompleteServiceUUIDs128, uuids: incompleteServiceClassUuids128, of: 16)
        try writer.add(.completeServiceUUIDs128, uuids: completeServiceClassUuids128, of: 16)
        try writer.add(.solicitedServiceUUIDs16, uuids: serviceSolicitationUuids16, of: 2)
        try writer.add(.solicitedServiceUUIDs32, uuids: serviceSolicitationUuids32, of: 4)
        try writer.add(.solicitedServiceUUIDs128, uuids: serviceSolicitationUuids128, of: 16)
    }

    private func writeTexts(to writer: inout StructureWriter) throws {
        switch shortenedLocalNameOneof {
        case .shortenedLocalName(let name)?: try writer.add(.shortenedLocalName, name.utf8)
        case .includeShortenedLocalName(true)?: throw Self.isFilledIn("name")
        case .includeShortenedLocalName?, nil: break
        }
        switch completeLocalNameOneof {
        case .completeLocalName(let name)?: try writer.add(.completeLocalName, name.utf8)
        case .includeCompleteLocalName(true)?: throw Self.isFilledIn("name")
        case .includeCompleteLocalName?, nil: break
        }
        if !uri.isEmpty { try writer.add(.uri, uri.utf8) }
    }

    private func writeNumbers(to writer: inout StructureWriter) throws {
        switch txPowerLevelOneof {
        case .txPowerLevel(let level)?: try writer.add(.txPowerLevel, level, bytes: 1)
        case .includeTxPowerLevel(true)?: throw Self.isFilledIn("transmit power")
        case .includeTxPowerLevel?, nil: break
        }
        switch classOfDeviceOneof {
        case .classOfDevice(let value)?: try writer.add(.classOfDevice, value, bytes: 3)
        case .includeClassOfDevice(true)?: throw RPCError.unsupported("BR/EDR")
        case .includeClassOfDevice?, nil: break
        }
        switch advertisingIntervalOneof {
        case .advertisingInterval(let value)?: try writer.add(.advertisingInterval, value, bytes: 2)
        case .includeAdvertisingInterval(true)?: throw Self.isFilledIn("interval")
        case .includeAdvertisingInterval?, nil: break
        }
        if peripheralConnectionIntervalMin != 0 || peripheralConnectionIntervalMax != 0 {
            let range =
                try StructureWriter.littleEndian(peripheralConnectionIntervalMin, bytes: 2)
                + StructureWriter.littleEndian(peripheralConnectionIntervalMax, bytes: 2)
            try writer.add(.peripheralConnectionIntervalRange, range)
        }
        if appearance != 0 { try writer.add(.appearance, appearance, bytes: 2) }
    }

    private func writeServiceData(to writer: inout StructureWriter) throws {
        try writer.add(.serviceData16, serviceDataUuid16, of: 2)
        try writer.add(.serviceData32, serviceDataUuid32, of: 4)
        try writer.add(.serviceData128, serviceDataUuid128, of: 16)
    }

    private func writeAddresses(to writer: inout StructureWriter) throws {
        let publicBytes = try publicTargetAddresses.flatMap {
            try DeviceAddress($0, .public).littleEndianBytes
        }
        let randomBytes = try randomTargetAddresses.flatMap {
            try DeviceAddress($0, .random).littleEndianBytes
        }
        if !publicBytes.isEmpty { try writer.add(.publicTargetAddress, publicBytes) }
        if !randomBytes.isEmpty { try writer.add(.randomTargetAddress, randomBytes) }
    }

    /// Returns the error for a value that the host is to choose.
    private static func isFilledIn(_ name: String) -> RPCError {
        .unsupported("advertising with the host's own \(name)")
    }
}

/// A writer of structures, each with a length, a type and a value.
private struct StructureWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ type: AdvertisingData.DataType, _ value: some Collection<UInt8>) throws {
        guard value.count < 255 else {
            throw RPCError.invalid("a field of advertising data has at most 254 bytes")
        }
        bytes += [UInt8(value.count + 1), type.rawValue] + value
    }

    mutating func add(_ type: AdvertisingData.DataType, _ number: UInt32, bytes: Int) throws {
        try add(type, Self.littleEndian(number, bytes: bytes))
    }

    mutating func add(_ type: AdvertisingData.DataType, uuids: [String], of length: Int) throws {
        guard !uuids.isEmpty else { return }
        try add(type, uuids.flatMap { try Self.uuid($0, of: length) })
    }

    mutating func add(
        _ type: AdvertisingData.DataType,
        _ values: [String: Data],
        of length: Int
    ) throws {
        for (uuid, value) in values.sorted(by: { $0.key < $1.key }) {
            try add(type, Self.uuid(uuid, of: length) + value)
        }
    }

    static func littleEndian(_ number: UInt32, bytes: Int) throws -> [UInt8] {
        guard UInt64(number) < 1 << (8 * bytes) else {
            throw RPCError.invalid("\(number) does not fit into \(8 * bytes) bits")
        }
        return (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Returns the little-endian bytes of a UUID's text.
    private static func uuid(_ text: String, of length: Int) throws -> [UInt8] {
        let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        guard digits.count == 2 * length, bytes.count == length else {
            throw RPCError.invalid("'\(text)' is not a UUID of \(8 * length) bits")
        }
        return bytes.reversed()
    }
}
