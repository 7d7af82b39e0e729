// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The format of every stored entry: a header with the kind and the version, the contents, and a
// checksum of both.
//
//     0  "LNYD"
//     4  u8 kind
//     5  u8 version of the contents
//     6  u32 length of the contents in bytes
//    10  contents
//     …  u32 CRC-32 of all bytes before it
//
// Integers are little-endian. A later version changes the contents, not the header or the checksum.

/// The fault of an entry of the store.
enum RecordFault: Error, Equatable, CustomStringConvertible {
    /// The entry is incomplete or damaged.
    case torn
    /// Another program wrote the entry, or its kind differs from the kind in its name.
    case foreign
    /// A later version of this host wrote the entry.
    case newer(version: UInt8)
    /// The entry is undamaged, but its contents are not valid.
    case malformed(MalformedBytes)

    var description: String {
        switch self {
        case .torn: "the file is incomplete or damaged"
        case .foreign: "the file is not an entry of the kind that its name states"
        case .newer(let version): "a later version of this host wrote the file: \(version)"
        case .malformed(let error): "the contents of the file are not valid: \(error)"
        }
    }
}

enum Record {
    /// The version of the contents that this host writes, and the only one that it reads.
    static let version: UInt8 = 1

    private static let magic = Array("LNYD".utf8)
    private static let headerLength = 10
    private static let checkLength = 4

    /// Returns the stored form of an entry.
    static func encode(
        _ name: RecordName,
        _ write: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        var contents = ByteWriter()
        if let peer = name.peer { contents.write(peer) }
        write(&contents)
        var writer = ByteWriter(
            reservingCapacity: headerLength + contents.bytes.count + checkLength
        )
        writer.write(contentsOf: magic)
        writer.write(name.kind.rawValue)
        writer.write(version)
        writer.write(UInt32(truncatingIfNeeded: contents.bytes.count))
        writer.write(contentsOf: contents.bytes)
        writer.write(CRC32.checksum(of: writer.bytes))
        return writer.bytes
    }

    /// Decodes an entry. `read` must read all of its contents.
    ///
    /// - Throws: `RecordFault` if the entry is damaged, has another kind, version or peer, has
    ///   invalid contents, or is not read to its end.
    static func decode<Value>(
        _ bytes: [UInt8],
        as name: RecordName,
        _ read: (inout ByteReader) throws(MalformedBytes) -> Value
    ) throws(RecordFault) -> Value {
        var reader = ByteReader(try contents(of: bytes, as: name))
        do throws(MalformedBytes) {
            if let peer = name.peer, try reader.readDeviceAddress() != peer {
                throw MalformedBytes.invalid(field: "peer")
            }
            let value = try read(&reader)
            try reader.finish()
            return value
        } catch {
            throw .malformed(error)
        }
    }

    /// Checks the header and the checksum, and returns the bytes between them.
    private static func contents(
        of bytes: [UInt8],
        as name: RecordName
    ) throws(RecordFault) -> ArraySlice<UInt8> {
        guard bytes.starts(with: magic) || magic.starts(with: bytes) else { throw .foreign }
        guard bytes.count >= headerLength + checkLength else { throw .torn }
        let contents = bytes[headerLength..<(bytes.count - checkLength)]
        var header = ByteReader(bytes[6..<headerLength])
        var check = ByteReader(bytes[contents.endIndex...])
        guard let count = try? header.readUInt32(), let expected = try? check.readUInt32(),
            count == contents.count, expected == CRC32.checksum(of: bytes[..<contents.endIndex])
        else { throw .torn }
        guard bytes[4] == name.kind.rawValue else { throw .foreign }
        guard bytes[5] <= version else { throw .newer(version: bytes[5]) }
        guard bytes[5] == version else { throw .malformed(.invalid(field: "version")) }
        return contents
    }
}

extension ByteWriter {
    /// Writes an address with its kind: 7 bytes.
    mutating func write(_ address: DeviceAddress) {
        write(address.kind.rawValue)
        write(contentsOf: address.littleEndianBytes)
    }
}

extension ByteReader {
    /// Reads an address with its kind: 7 bytes.
    mutating func readDeviceAddress() throws(MalformedBytes) -> DeviceAddress {
        guard let kind = DeviceAddress.Kind(rawValue: try readUInt8()),
            let address = DeviceAddress(littleEndian: try readBytes(6), kind: kind)
        else { throw .invalid(field: "address") }
        return address
    }
}

/// The cyclic redundancy check of Ethernet and of ZIP files (polynomial 0x04C11DB7, reflected).
///
/// It detects accidental damage to files: every single-bit error, every burst of up to 32 bits, and
/// nearly all other damage, such as a part that is missing or full of zeros. It does not protect
/// against deliberate changes, because the check can be changed too.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320
        }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { value, byte in
            table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
        }
    }
}
