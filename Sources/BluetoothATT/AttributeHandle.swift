// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The handle of an attribute in its server's database: 0x0001 to 0xFFFF (Vol 3, Part F, 3.2.2).
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The handle's number.
    public let rawValue: UInt16

    /// Creates a handle. The number 0 creates `invalid`.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a handle. The number 0 creates `invalid`.
    public init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Handle 0, which no attribute has.
    public static let invalid = AttributeHandle(0x0000)

    /// The smallest handle of an attribute.
    public static let first = AttributeHandle(0x0001)

    /// The largest handle of an attribute.
    public static let last = AttributeHandle(0xFFFF)

    /// The handle after this one, or `nil` after `last`.
    public var next: AttributeHandle? {
        self == .last ? nil : AttributeHandle(rawValue + 1)
    }

    /// Orders handles by their number, which is the order of the database.
    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The handle as `0x` and four uppercase hexadecimal digits.
    public var description: String { "0x" + rawValue.hexadecimal(digits: 4) }
}

extension ByteReader {
    package mutating func readAttributeHandle() throws(MalformedBytes) -> AttributeHandle {
        AttributeHandle(try readUInt16())
    }
}

extension ByteWriter {
    package mutating func write(_ handle: AttributeHandle) {
        write(handle.rawValue)
    }
}
