// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The encoding of a number in a database file, an argument or an expectation, with the least
/// significant byte first.
enum NumberFormat: String, CaseIterable, Sendable {
    case uint8
    case sint8
    case uint16
    case sint16
    case uint24
    case sint24
    case uint32
    case sint32
    case uint48
    case sint48
    /// IEEE 754, single precision.
    case float32
    /// IEEE 754, double precision.
    case float64
    /// The 16-bit SFLOAT of IEEE 11073-20601: 4 bits of exponent, 12 of mantissa.
    case medfloat16
    /// The 32-bit FLOAT of IEEE 11073-20601: 8 bits of exponent, 24 of mantissa.
    case medfloat32

    /// The length in bytes.
    var count: Int {
        switch self {
        case .uint8, .sint8: 1
        case .uint16, .sint16, .medfloat16: 2
        case .uint24, .sint24: 3
        case .uint32, .sint32, .float32, .medfloat32: 4
        case .uint48, .sint48: 6
        case .float64: 8
        }
    }

    /// The exponents of ten that the format accepts.
    var exponents: ClosedRange<Double> {
        switch self {
        case .float32, .float64: 0...0
        case .medfloat16: -8...7
        default: -10...10
        }
    }

    /// The range of the integer that the bytes hold. For the medical formats, this is the mantissa,
    /// without the values that stand for no number. `nil` for the formats of IEEE 754, which hold
    /// no integer.
    private var integerRange: ClosedRange<Double>? {
        switch self {
        case .float32, .float64: nil
        case .medfloat16: -0x7FD...0x7FD
        case .medfloat32: -0x7F_FFFD...0x7F_FFFD
        case .uint8, .uint16, .uint24, .uint32, .uint48: 0...pow(2, Double(count * 8)) - 1
        case .sint8, .sint16, .sint24, .sint32, .sint48:
            -pow(2, Double(count * 8 - 1))...pow(2, Double(count * 8 - 1)) - 1
        }
    }

    /// Whether a counter can wrap at the ends of the range.
    var canWrap: Bool {
        switch self {
        case .float32, .float64, .medfloat16, .medfloat32: false
        default: true
        }
    }

    /// Returns the range of the numbers that the format can hold if its integer counts units of ten
    /// to the power of `exponent`.
    func range(exponent: Int) -> ClosedRange<Double> {
        guard let integerRange else {
            let largest = self == .float32 ? Double(Float.greatestFiniteMagnitude) : 1e300
            return -largest...largest
        }
        let unit = pow(10, Double(exponent))
        return integerRange.lowerBound * unit...integerRange.upperBound * unit
    }

    /// Returns the bytes of a number. The integer in them counts units of ten to the power of
    /// `exponent`. A number out of range becomes the nearest number in the range.
    func encode(_ number: Double, exponent: Int) -> [UInt8] {
        guard let integerRange else {
            return self == .float32
                ? bytes(UInt64(Float(number).bitPattern)) : bytes(number.bitPattern)
        }
        let scaled = (number / pow(10, Double(exponent))).rounded()
        let mantissa = Int64(min(max(scaled, integerRange.lowerBound), integerRange.upperBound))
        let bits = UInt64(bitPattern: mantissa)
        let power = UInt64(bitPattern: Int64(exponent))
        switch self {
        case .medfloat16: return bytes(power << 12 | bits & 0xFFF)
        case .medfloat32: return bytes(power << 24 | bits & 0xFF_FFFF)
        default: return bytes(bits)
        }
    }

    /// Returns the number that the bytes encode; `nil` if there are not `count` bytes, or if they
    /// do not encode a number.
    func decode(_ bytes: [UInt8]) -> Double? {
        guard bytes.count == count else { return nil }
        let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch self {
        case .uint8, .uint16, .uint24, .uint32, .uint48: return Double(bits)
        case .sint8, .sint16, .sint24, .sint32, .sint48:
            return Double(Self.signed(bits, width: count * 8))
        case .float32:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return number.isNaN ? nil : Double(number)
        case .float64:
            let number = Double(bitPattern: bits)
            return number.isNaN ? nil : number
        case .medfloat16: return medical(bits, mantissaWidth: 12, exponentWidth: 4)
        case .medfloat32: return medical(bits, mantissaWidth: 24, exponentWidth: 8)
        }
    }

    private static func signed(_ bits: UInt64, width: Int) -> Int64 {
        Int64(bitPattern: bits << UInt64(64 - width)) >> Int64(64 - width)
    }

    /// Returns the number of a mantissa and an exponent of ten; `nil` for the special values.
    private func medical(_ bits: UInt64, mantissaWidth: Int, exponentWidth: Int) -> Double? {
        let mantissa = Double(Self.signed(bits, width: mantissaWidth))
        guard let integerRange, integerRange.contains(mantissa) else { return nil }
        let exponent = Self.signed(bits >> UInt64(mantissaWidth), width: exponentWidth)
        return mantissa * pow(10, Double(exponent))
    }

    private func bytes(_ bits: UInt64) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64($0 * 8)) }
    }
}
