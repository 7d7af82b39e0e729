// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// The format in which a client's record is stored. It is specific to this package, little-endian,
// and starts with its version. A record with an unknown version is rejected completely, like a
// damaged one.

extension ClientRecord {
    /// The version that is encoded, and the only one that is decoded.
    private static let version: UInt8 = 1

    private static let hasHash: UInt8 = 1 << 0
    private static let hasCounter: UInt8 = 1 << 1
    private static let hashLength = 16

    /// Encodes the record for storage. Equal records have equal bytes.
    package func encode() -> [UInt8] {
        let hash = knownHash.flatMap { $0.count == Self.hashLength ? $0 : nil }
        var writer = ByteWriter(reservingCapacity: 32 + 36 * configurations.count)
        writer.write(Self.version)
        writer.write(
            (hash == nil ? 0 : Self.hasHash) | (lastSignCounter == nil ? 0 : Self.hasCounter)
        )
        writer.write(supportedFeatures)
        if let hash { writer.write(contentsOf: hash) }
        if let lastSignCounter { writer.write(lastSignCounter) }
        for (handle, configuration) in configurations.sorted(by: { $0.key < $1.key }) {
            writer.write(handle)
            writer.write(configuration.bits)
            writer.write(contentsOf: configuration.service.bytes128)
            writer.write(contentsOf: configuration.characteristic.bytes128)
        }
        return writer.bytes
    }

    /// Decodes a record.
    ///
    /// - Throws: ``MalformedBytes`` for bytes that `encode()` does not produce.
    package init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        guard try reader.readUInt8() == Self.version else { throw .invalid(field: "version") }
        let parts = try reader.readUInt8()
        guard parts & ~(Self.hasHash | Self.hasCounter) == 0 else { throw .invalid(field: "parts") }
        self.init()
        supportedFeatures = try reader.readUInt8()
        if parts & Self.hasHash != 0 { knownHash = Array(try reader.readBytes(Self.hashLength)) }
        if parts & Self.hasCounter != 0 { lastSignCounter = try reader.readUInt32() }
        var previous = AttributeHandle.invalid
        while !reader.isAtEnd {
            let handle = try reader.readAttributeHandle()
            guard handle > previous else { throw .invalid(field: "handle") }
            configurations[handle] = try Configuration(from: &reader)
            previous = handle
        }
    }
}

extension ClientRecord.Configuration {
    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bits = try reader.readUInt16()
        guard bits != 0 else { throw .invalid(field: "configuration") }
        self.init(
            bits: bits,
            service: try reader.readUUID128(),
            characteristic: try reader.readUUID128()
        )
    }
}

extension ByteReader {
    fileprivate mutating func readUUID128() throws(MalformedBytes) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(littleEndian: try readBytes(16)) else {
            throw .invalid(field: "UUID")
        }
        return uuid
    }
}
