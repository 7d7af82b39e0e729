// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A decoder of little-endian numbers, the byte order of all SIG characteristics. No method reads
/// beyond the end.
///
/// Each method that reads a number throws ``ValueError/truncated(needed:available:)`` if too few
/// bytes remain.
public struct ValueReader: Sendable {
    private var bytes: ArraySlice<UInt8>

    /// Creates a reader of these bytes.
    ///
    /// - Parameter data: The bytes.
    public init(_ data: Data) {
        bytes = [UInt8](data)[...]
    }

    /// The number of remaining bytes.
    public var remaining: Int { bytes.count }
    /// Whether no bytes remain.
    public var isAtEnd: Bool { bytes.isEmpty }

    /// Reads one byte.
    ///
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if no byte remains.
    public mutating func readUInt8() throws(ValueError) -> UInt8 {
        UInt8(truncatingIfNeeded: try readInteger(bytes: 1))
    }

    /// Reads one byte as a signed number.
    ///
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if no byte remains.
    public mutating func readInt8() throws(ValueError) -> Int8 {
        Int8(bitPattern: try readUInt8())
    }

    /// Reads two bytes.
    ///
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if fewer than two bytes remain.
    public mutating func readUInt16() throws(ValueError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readInteger(bytes: 2))
    }

    /// Reads two bytes as a signed number.
    ///
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if fewer than two bytes remain.
    public mutating func readInt16() throws(ValueError) -> Int16 {
        Int16(bitPattern: try readUInt16())
    }

    /// Reads four bytes.
    ///
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if fewer than four bytes remain.
    public mutating func readUInt32() throws(ValueError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readInteger(bytes: 4))
    }

    /// Reads an unsigned number of one to eight bytes.
    ///
    /// - Parameter count: The number of bytes, from 1 to 8. Any other number is a programming error
    ///   and stops the process.
    /// - Returns: The number.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if fewer than `count` bytes remain.
    public mutating func readInteger(bytes count: Int) throws(ValueError) -> UInt64 {
        precondition((1...8).contains(count), "numbers have 1 to 8 bytes")
        guard bytes.count >= count else {
            throw .truncated(needed: count, available: bytes.count)
        }
        let number = bytes.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(count)
        return number
    }

    /// Reads one byte as a case of an enumeration.
    ///
    /// - Parameters:
    ///   - type: The enumeration.
    ///   - field: The name of the field, for the error.
    /// - Returns: The case with the byte as its raw value.
    /// - Throws: ``ValueError/invalid(field:)`` if no case has the number that was read;
    ///   ``ValueError/truncated(needed:available:)`` if no byte remains.
    public mutating func readCase<Case: RawRepresentable>(
        _ type: Case.Type,
        field: String
    ) throws(ValueError) -> Case where Case.RawValue == UInt8 {
        guard let value = Case(rawValue: try readUInt8()) else { throw .invalid(field: field) }
        return value
    }

    /// Reads all remaining bytes.
    ///
    /// - Returns: The bytes, which can be empty.
    public mutating func readRemaining() -> Data {
        defer { bytes = [] }
        return Data(bytes)
    }

    /// Checks that all bytes were read.
    ///
    /// - Throws: ``ValueError/trailing(count:)`` if bytes remain.
    public func finish() throws(ValueError) {
        guard bytes.isEmpty else { throw .trailing(count: bytes.count) }
    }
}
