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
/// bytes from which it was created. The methods that decode packets are inlined, because a call
/// costs more than a read.
package struct ByteReader: Sendable {
    @usableFromInline
    let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    @usableFromInline
    var position: Int

    @inlinable
    @inline(__always)
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    @inlinable
    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// The number of bytes that are not read yet.
    @inlinable
    package var remaining: Int { bytes.endIndex - position }

    @inlinable
    package var isAtEnd: Bool { remaining == 0 }

    @inlinable
    @inline(__always)
    package mutating func readUInt8() throws(MalformedBytes) -> UInt8 {
        UInt8(truncatingIfNeeded: try readInteger(bytes: 1))
    }

    @inlinable
    package mutating func readInt8() throws(MalformedBytes) -> Int8 {
        Int8(bitPattern: try readUInt8())
    }

    @inlinable
    @inline(__always)
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
    @inlinable
    @inline(__always)
    package mutating func readInteger(bytes count: Int) throws(MalformedBytes) -> UInt64 {
        guard remaining >= count else { throw .truncated(needed: count, available: remaining) }
        var value: UInt64 = 0
        for offset in 0..<count {
            value |= UInt64(bytes[position + offset]) << UInt64(8 * offset)
        }
        position += count
        return value
    }

    @inlinable
    @inline(__always)
    package mutating func readBytes(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
        guard count >= 0, remaining >= count else {
            throw .truncated(needed: count, available: remaining)
        }
        let start = position
        position += count
        return bytes[start..<position]
    }

    /// Reads all remaining bytes, which may be none.
    @inlinable
    @inline(__always)
    package mutating func readRemaining() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    /// Checks that every byte was read. A decoder calls this last.
    ///
    /// - Throws: ``MalformedBytes/trailing(count:)`` if bytes remain.
    @inlinable
    @inline(__always)
    package func finish() throws(MalformedBytes) {
        guard isAtEnd else { throw .trailing(count: remaining) }
    }
}
