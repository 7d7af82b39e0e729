// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// A client's record as octets, for a store. The first octet is the version of the form; whoever meets
// a version that it does not know has lost nothing but convenience: the client configures anew.
extension ClientMemory {
    private static let version: UInt8 = 1

    /// The record as octets.
    package var storedBytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(supportedFeatures)
        writer.write(lengthPrefixed: knownHash ?? [])
        writer.write(UInt8(lastSignCounter == nil ? 0 : 1))
        writer.write(lastSignCounter ?? 0)
        writer.write(UInt16(configurations.count))
        for (handle, configuration) in configurations.sorted(by: { $0.key < $1.key }) {
            writer.write(handle.rawValue)
            writer.write(configuration.bits)
            writer.write(lengthPrefixed: configuration.service.attBytes)
            writer.write(lengthPrefixed: configuration.characteristic.attBytes)
        }
        return writer.bytes
    }

    /// Reads a record; what a store returns may be anything.
    package init(storedBytes bytes: [UInt8]) throws(MalformedBytes) {
        self.init()
        var reader = ByteReader(bytes)
        guard try reader.readUInt8() == Self.version else {
            throw .invalid(field: "version of a client's record")
        }
        supportedFeatures = try reader.readUInt8()
        let hash = try reader.readLengthPrefixed()
        knownHash = hash.isEmpty ? nil : Array(hash)
        let hasCounter = try reader.readUInt8() != 0
        let counter = try reader.readUInt32()
        lastSignCounter = hasCounter ? counter : nil
        for _ in 0..<(try reader.readUInt16()) {
            let handle = AttributeHandle(try reader.readUInt16())
            configurations[handle] = Configuration(
                bits: try reader.readUInt16(),
                service: try reader.readUUID(),
                characteristic: try reader.readUUID()
            )
        }
        try reader.finish()
    }
}

extension ByteWriter {
    fileprivate mutating func write(lengthPrefixed bytes: [UInt8]) {
        write(UInt8(bytes.count))
        write(contentsOf: bytes)
    }
}

extension ByteReader {
    fileprivate mutating func readLengthPrefixed() throws(MalformedBytes) -> ArraySlice<UInt8> {
        try readBytes(Int(try readUInt8()))
    }

    fileprivate mutating func readUUID() throws(MalformedBytes) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(littleEndian: try readLengthPrefixed()) else {
            throw .invalid(field: "UUID")
        }
        return uuid
    }
}
