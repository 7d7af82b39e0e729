// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The form of everything that a host keeps: what it is and of which version comes first, and at the
// end a check of all of it. A file that was cut short, one that somebody else wrote, and one of a
// later version of this host are told apart, because something else is to be done about each.
//
//     0  "LNYD"
//     4  u8 kind
//     5  u8 version of what follows
//     6  u32 octets of what follows
//    10  contents
//     …  u32 CRC-32 of all before
//
// Integers are little-endian. A later version changes the contents and not this frame.

/// What is wrong with an entry of the store.
enum RecordFault: Error, Equatable, CustomStringConvertible {
    /// It is not whole, or not what was written.
    case torn
    /// It is something else than its name says.
    case foreign
    /// A later version of this host wrote it.
    case newer(version: UInt8)
    /// It is whole, and cannot be understood.
    case malformed(MalformedBytes)

    var description: String {
        switch self {
        case .torn: "torn: the file is not whole"
        case .foreign: "foreign: the file is not what its name says"
        case .newer(let version): "from a later version of this host: \(version)"
        case .malformed(let error): "malformed: \(error)"
        }
    }
}

enum Record {
    /// The version of each kind that is written, and the latest that is read.
    static let version: UInt8 = 1

    private static let magic = Array("LNYD".utf8)
    private static let headerLength = 10
    private static let checkLength = 4

    /// An entry as it is stored.
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

    /// Reads the contents of an entry, all of them.
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

    /// What is in the frame.
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
    /// An address with its kind: seven octets.
    mutating func write(_ address: DeviceAddress) {
        write(address.kind.rawValue)
        write(contentsOf: address.littleEndianBytes)
    }
}

extension ByteReader {
    /// An address with its kind: seven octets.
    mutating func readDeviceAddress() throws(MalformedBytes) -> DeviceAddress {
        guard let kind = DeviceAddress.Kind(rawValue: try readUInt8()),
            let address = DeviceAddress(littleEndian: try readBytes(6), kind: kind)
        else { throw .invalid(field: "address") }
        return address
    }
}
