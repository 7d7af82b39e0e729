// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads numbers off the front of a value, their low octets first, as all characteristics of the SIG have
/// them. It never reads more than there is.
public struct ValueReader: Sendable {
    private var octets: ArraySlice<UInt8>

    /// Reads these octets.
    public init(_ data: Data) {
        octets = [UInt8](data)[...]
    }

    /// How many octets are left.
    public var remaining: Int { octets.count }
    /// Whether none are.
    public var isAtEnd: Bool { octets.isEmpty }

    /// Reads one octet.
    public mutating func readUInt8() throws(ValueError) -> UInt8 {
        UInt8(truncatingIfNeeded: try readInteger(octets: 1))
    }

    /// Reads one octet with a sign.
    public mutating func readInt8() throws(ValueError) -> Int8 {
        Int8(bitPattern: try readUInt8())
    }

    /// Reads two octets.
    public mutating func readUInt16() throws(ValueError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readInteger(octets: 2))
    }

    /// Reads two octets with a sign.
    public mutating func readInt16() throws(ValueError) -> Int16 {
        Int16(bitPattern: try readUInt16())
    }

    /// Reads four octets.
    public mutating func readUInt32() throws(ValueError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readInteger(octets: 4))
    }

    /// Reads an unsigned number of one to eight octets.
    public mutating func readInteger(octets count: Int) throws(ValueError) -> UInt64 {
        precondition((1...8).contains(count), "numbers have one to eight octets")
        guard octets.count >= count else {
            throw .truncated(needed: count, available: octets.count)
        }
        let number = octets.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        octets = octets.dropFirst(count)
        return number
    }

    /// Reads a number that stands for one of several cases.
    public mutating func readCase<Case: RawRepresentable>(
        _ type: Case.Type,
        field: String
    ) throws(ValueError) -> Case where Case.RawValue == UInt8 {
        guard let value = Case(rawValue: try readUInt8()) else { throw .invalid(field: field) }
        return value
    }

    /// Reads all that is left; possibly nothing.
    public mutating func readRemaining() -> Data {
        defer { octets = [] }
        return Data(octets)
    }

    /// Throws unless all was read.
    public func finish() throws(ValueError) {
        guard octets.isEmpty else { throw .trailing(count: octets.count) }
    }
}
