// SPDX-License-Identifier: Apache-2.0

/// A writer that appends little-endian fields to a byte array.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func write(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func write(_ value: Int8) {
        bytes.append(UInt8(bitPattern: value))
    }

    package mutating func write(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Writes the low 24 bits of `value`.
    package mutating func writeUInt24(_ value: UInt32) {
        write(UInt16(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    }

    package mutating func write(_ value: UInt32) {
        write(UInt16(truncatingIfNeeded: value))
        write(UInt16(truncatingIfNeeded: value >> 16))
    }

    package mutating func write(_ value: UInt64) {
        write(UInt32(truncatingIfNeeded: value))
        write(UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Writes a slice without generic code, which would look up types for each value.
    package mutating func write(contentsOf other: ArraySlice<UInt8>) {
        bytes.append(contentsOf: other)
    }

    package mutating func write(contentsOf other: some Sequence<UInt8>) {
        bytes.append(contentsOf: other)
    }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two for each byte, without separators.
    package var hexadecimal: String {
        let digits: [UInt8] = Array("0123456789abcdef".utf8)
        var characters: [UInt8] = []
        for byte in self {
            characters.append(digits[Int(byte >> 4)])
            characters.append(digits[Int(byte & 0x0F)])
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension BinaryInteger {
    /// Returns the number in uppercase hexadecimal, with leading zeros up to `digits` digits.
    package func hexadecimal(digits: Int) -> String {
        let text = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Array<UInt8> {
    /// Creates the bytes that hexadecimal digits represent.
    ///
    /// - Parameter text: An even number of hexadecimal digits. The initializer returns `nil` for
    ///   any other text.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofDigit: digits[index]),
                let low = Self.value(ofDigit: digits[index + 1])
            else { return nil }
            append(high << 4 | low)
        }
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
