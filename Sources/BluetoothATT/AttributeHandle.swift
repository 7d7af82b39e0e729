// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The address of an attribute in its server's table: 0x0001 to 0xFFFF
/// (Vol 3, Part F, 3.2.2).
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The 16 bits of the handle.
    public let rawValue: UInt16

    /// Makes the handle with that number; 0 makes `invalid`.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Makes the handle with that number; 0 makes `invalid`.
    public init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Zero: names no attribute.
    public static let invalid = AttributeHandle(0x0000)

    /// The smallest handle that an attribute can have.
    public static let first = AttributeHandle(0x0001)

    /// The greatest handle that an attribute can have.
    public static let last = AttributeHandle(0xFFFF)

    /// The handle after this one; nil after `last`.
    public var next: AttributeHandle? {
        self == .last ? nil : AttributeHandle(rawValue + 1)
    }

    /// Orders handles as the table does.
    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
        left.rawValue < right.rawValue
    }

    /// `0x` and four upper-case hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
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
