// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes numbers behind each other, their low octets first.
public struct ValueWriter: Sendable {
    /// What was written.
    public private(set) var data = Data()

    /// Nothing was written yet.
    public init() {}

    /// Writes numbers, each with all the octets that its type has.
    public mutating func write<each Number: FixedWidthInteger>(_ number: repeat each Number) {
        for one in repeat each number { append(one) }
    }

    /// Writes the low octets of a number, at most eight.
    public mutating func write(_ number: UInt64, octets count: Int) {
        precondition((1...8).contains(count), "numbers have one to eight octets")
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0.prefix(count)) }
    }

    /// Writes octets as they are.
    public mutating func append(contentsOf octets: Data) {
        data.append(octets)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
}
