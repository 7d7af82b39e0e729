// SPDX-License-Identifier: Apache-2.0

/// The error that a decoder throws when bytes do not have the required form.
package enum MalformedBytes: Error, Equatable, Sendable, CustomStringConvertible {
    /// A read needs more bytes than remain.
    case truncated(needed: Int, available: Int)
    /// The value is complete, and bytes remain after it.
    case trailing(count: Int)
    /// A field has a value that the specification does not allow there.
    case invalid(field: String)

    package var description: String {
        switch self {
        case .truncated(let needed, let available):
            "truncated: \(needed) \(needed == 1 ? "byte" : "bytes") needed, \(available) available"
        case .trailing(let count): "\(count) \(count == 1 ? "byte" : "bytes") left over"
        case .invalid(let field): "invalid \(field)"
        }
    }
}

/// A reader that takes little-endian fields from the front of a byte slice and checks the bounds of
/// every read.
///
/// A reader is a value: copy it to look ahead. The slices that it returns share storage with the
/// bytes from which it was created.
package struct ByteReader: Sendable {
    private var bytes: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// The number of bytes that are not read yet.
    package var remaining: Int { bytes.count }

    package var isAtEnd: Bool { bytes.isEmpty }

    package mutating func readUInt8() throws(MalformedBytes) -> UInt8 {
        guard let byte = bytes.popFirst() else { throw .truncated(needed: 1, available: 0) }
        return byte
    }

    package mutating func readInt8() throws(MalformedBytes) -> Int8 {
        Int8(bitPattern: try readUInt8())
    }

    package mutating func readUInt16() throws(MalformedBytes) -> UInt16 {
        UInt16(truncatingIfNeeded: try readInteger(bytes: 2))
    }

    package mutating func readUInt24() throws(MalformedBytes) -> UInt32 {
        UInt32(truncatingIfNeeded: try readInteger(bytes: 3))
    }

    package mutating func readUInt32() throws(MalformedBytes) -> UInt32 {
        UInt32(truncatingIfNeeded: try readInteger(bytes: 4))
    }

    package mutating func readUInt64() throws(MalformedBytes) -> UInt64 {
        try readInteger(bytes: 8)
    }

    /// Reads an unsigned integer of 1 to 8 bytes.
    package mutating func readInteger(bytes count: Int) throws(MalformedBytes) -> UInt64 {
        guard bytes.count >= count else {
            throw .truncated(needed: count, available: bytes.count)
        }
        let start = bytes.startIndex
        var value: UInt64 = 0
        for offset in 0..<count {
            value |= UInt64(bytes[start + offset]) << UInt64(8 * offset)
        }
        bytes = bytes[(start + count)...]
        return value
    }

    package mutating func readBytes(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
        guard count >= 0, bytes.count >= count else {
            throw .truncated(needed: count, available: bytes.count)
        }
        let end = bytes.startIndex + count
        defer { bytes = bytes[end...] }
        return bytes[..<end]
    }

    /// Reads all remaining bytes, which may be none.
    package mutating func readRemaining() -> ArraySlice<UInt8> {
        defer { bytes = bytes[bytes.endIndex...] }
        return bytes
    }

    /// Checks that every byte was read. A decoder calls this last.
    ///
    /// - Throws: ``MalformedBytes/trailing(count:)`` if bytes remain.
    package func finish() throws(MalformedBytes) {
        guard bytes.isEmpty else { throw .trailing(count: bytes.count) }
    }
}
