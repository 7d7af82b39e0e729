// SPDX-License-Identifier: Apache-2.0

/// Decimal numbers as the SIG sends them: a whole number and a power of ten.
enum DecimalText {
    /// `mantissa` × 10 to the power of `exponent`, in plain digits.
    static func describe(_ mantissa: Int, exponent: Int) -> String {
        guard exponent < 0, mantissa != 0 || exponent >= -digitsLimit else {
            return mantissa == 0
                ? "0" : "\(mantissa)" + String(repeating: "0", count: max(0, exponent))
        }
        let digits = String(mantissa.magnitude)
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
        return (mantissa < 0 ? "-" : "") + padded.dropLast(-exponent) + "."
            + padded.suffix(-exponent)
    }

    /// Zero is not written with more decimals than this.
    private static let digitsLimit = 6
}

/// A number in the format of IEEE 11073-20601, which medical services use: a mantissa and an
/// exponent of ten, with a few values set apart.
struct MedicalNumber: Equatable, Sendable, CustomStringConvertible {
    /// The number: `mantissa` × 10 to the power of `exponent`.
    enum Value: Equatable, Sendable {
        case number(mantissa: Int, exponent: Int)
        case notANumber
        case notAtThisResolution
        case positiveInfinity
        case negativeInfinity
        case reserved
    }

    let value: Value

    /// Takes a 32-bit FLOAT: 8 bits of exponent, 24 of mantissa.
    init(float bits: UInt32) {
        let mantissa = Int(Int32(bitPattern: bits << 8) >> 8)
        let exponent = Int(Int8(truncatingIfNeeded: bits >> 24))
        value = Self.value(mantissa: mantissa, exponent: exponent, largest: 0x7F_FFFF)
    }

    /// Takes a 16-bit SFLOAT: 4 bits of exponent, 12 of mantissa.
    init(shortFloat bits: UInt16) {
        let mantissa = Int(Int16(bitPattern: bits << 4) >> 4)
        let exponent = Int(Int16(bitPattern: bits) >> 12)
        value = Self.value(mantissa: mantissa, exponent: exponent, largest: 0x7FF)
    }

    var description: String {
        switch value {
        case .number(let mantissa, let exponent):
            DecimalText.describe(mantissa, exponent: exponent)
        case .notANumber: "not a number"
        case .notAtThisResolution: "not at this resolution"
        case .positiveInfinity: "+∞"
        case .negativeInfinity: "-∞"
        case .reserved: "reserved value"
        }
    }

    /// The values set apart lie at both ends of the mantissa, with exponent zero.
    private static func value(mantissa: Int, exponent: Int, largest: Int) -> Value {
        guard exponent == 0 else { return .number(mantissa: mantissa, exponent: exponent) }
        return switch mantissa {
        case largest: .notANumber
        case largest - 1: .positiveInfinity
        case -largest - 1: .notAtThisResolution
        case -largest: .reserved
        case -largest + 1: .negativeInfinity
        default: .number(mantissa: mantissa, exponent: 0)
        }
    }
}
