// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An encoder of little-endian numbers.
public struct ValueWriter: Sendable {
    /// The encoded bytes.
    public private(set) var data = Data()

    /// Creates an empty writer.
    public init() {}

    /// Writes numbers, each with the size of its type.
    ///
    /// - Parameter number: The numbers.
    public mutating func write<each Number: FixedWidthInteger>(_ number: repeat each Number) {
        for one in repeat each number { append(one) }
    }

    /// Writes the low bytes of a number.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - count: The number of bytes, from 1 to 8. Any other number is a programming error and
    ///     stops the process.
    public mutating func write(_ number: UInt64, bytes count: Int) {
        precondition((1...8).contains(count), "numbers have 1 to 8 bytes")
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0.prefix(count)) }
    }

    /// Appends bytes unchanged.
    ///
    /// - Parameter bytes: The bytes.
    public mutating func append(contentsOf bytes: Data) {
        data.append(bytes)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
}
