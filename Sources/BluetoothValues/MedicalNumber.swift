// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A number of a medical device: a decimal number with as many digits as were measured, or one of
/// several special values (IEEE 11073-20601, annex F).
public enum MedicalNumber: Hashable, Sendable {
    /// `mantissa` × 10 to the power of `exponent`.
    case finite(mantissa: Int, exponent: Int)
    /// There is no number: the measurement failed or is not complete.
    case notANumber
    /// The number cannot be represented with the available digits.
    case notAtThisResolution
    /// The number is too large.
    case positiveInfinity
    /// The number is too small.
    case negativeInfinity

    /// The nearest `Double`; NaN if there is none.
    public var value: Double {
        switch self {
        case .finite(let mantissa, let exponent): Double("\(mantissa)e\(exponent)") ?? .nan
        case .notANumber, .notAtThisResolution: .nan
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        }
    }
}

extension MedicalNumber: CustomStringConvertible {
    /// The number in decimal digits, or the name of a special value.
    public var description: String {
        switch self {
        case .finite(let mantissa, let exponent):
            DecimalText.describe(mantissa, exponent: exponent)
        case .notANumber: "not a number"
        case .notAtThisResolution: "not at this resolution"
        case .positiveInfinity: "+∞"
        case .negativeInfinity: "-∞"
        }
    }
}

/// A medical number in 32 bits: a mantissa of 24 bits and an exponent of 8 (GATT: medfloat32).
public typealias MedicalFloat = MedicalDecimal<UInt32>

/// A medical number in 16 bits: a mantissa of 12 bits and an exponent of 4 (GATT: medfloat16).
public typealias ShortMedicalFloat = MedicalDecimal<UInt16>

/// A medical number of a fixed size: three quarters of the bits are the mantissa, the others are
/// the exponent. The sizes of the specification are ``MedicalFloat`` and ``ShortMedicalFloat``.
public struct MedicalDecimal<Bits: FixedWidthInteger & UnsignedInteger & Sendable>:
    Hashable, Sendable
{
    /// The number.
    public let number: MedicalNumber

    private static var format: MedicalFormat {
        MedicalFormat(mantissaBits: Bits.bitWidth / 4 * 3, exponentBits: Bits.bitWidth / 4)
    }

    /// Creates a value from a number.
    ///
    /// The mantissa and the exponent of a finite number must fit in their bits: 24 and 8 for
    /// ``MedicalFloat``, 12 and 4 for ``ShortMedicalFloat``. With the exponent 0, the two greatest
    /// and the three least mantissas are reserved.
    ///
    /// - Parameter number: The number.
    /// - Throws: ``ValueError/invalid(field:)`` if the number does not fit.
    public init(_ number: MedicalNumber) throws(ValueError) {
        try Self.format.check(number)
        self.number = number
    }

    /// Creates the value `mantissa` × 10 to the power of `exponent`, such as 366 and -1 for 36.6.
    ///
    /// - Parameters:
    ///   - mantissa: The mantissa, a signed number of 24 bits in ``MedicalFloat`` and of 12 bits in
    ///     ``ShortMedicalFloat``.
    ///   - exponent: The exponent, from -128 to 127 in ``MedicalFloat`` and from -8 to 7 in
    ///     ``ShortMedicalFloat``.
    /// - Throws: ``ValueError/invalid(field:)`` if the number does not fit.
    public init(mantissa: Int, exponent: Int) throws(ValueError) {
        try self.init(.finite(mantissa: mantissa, exponent: exponent))
    }

    /// Decodes a value.
    ///
    /// - Throws: `invalid` if the bits are reserved.
    init(bits: Bits, field: String) throws(ValueError) {
        number = try Self.format.number(Int64(truncatingIfNeeded: bits), field: field)
    }

    var bits: Bits { Bits(truncatingIfNeeded: Self.format.bits(number)) }

    /// The nearest `Double`; NaN if there is none.
    public var value: Double { number.value }
}

extension MedicalDecimal: CustomStringConvertible {
    /// The description of the number.
    public var description: String { number.description }
}

/// The layout of the bits: the exponent above the mantissa, both signed. The special values have
/// the exponent zero and a mantissa at one end of its range.
private struct MedicalFormat {
    let mantissaBits: Int
    let exponentBits: Int

    private var largest: Int { 1 << (mantissaBits - 1) - 1 }
    private var largestExponent: Int { 1 << (exponentBits - 1) - 1 }

    func number(_ bits: Int64, field: String) throws(ValueError) -> MedicalNumber {
        let mantissa = Self.signed(Int(bits), bits: mantissaBits)
        let exponent = Self.signed(Int(bits) >> mantissaBits, bits: exponentBits)
        guard exponent == 0 else { return .finite(mantissa: mantissa, exponent: exponent) }
        return switch mantissa {
        case largest: .notANumber
        case largest - 1: .positiveInfinity
        case -largest - 1: .notAtThisResolution
        case -largest: throw .invalid(field: field)
        case -largest + 1: .negativeInfinity
        default: .finite(mantissa: mantissa, exponent: 0)
        }
    }

    func bits(_ number: MedicalNumber) -> Int {
        switch number {
        case .finite(let mantissa, let exponent):
            exponent << mantissaBits | mantissa & (1 << mantissaBits - 1)
        case .notANumber: largest
        case .positiveInfinity: largest - 1
        case .notAtThisResolution: largest + 1
        case .negativeInfinity: largest + 3
        }
    }

    func check(_ number: MedicalNumber) throws(ValueError) {
        guard case .finite(let mantissa, let exponent) = number else { return }
        let apart = exponent == 0 ? 2 : 0
        let lowest = exponent == 0 ? -largest + 2 : -largest - 1
        guard (-largestExponent - 1...largestExponent).contains(exponent),
            (lowest...largest - apart).contains(mantissa)
        else { throw .invalid(field: "medical number") }
    }

    private static func signed(_ number: Int, bits: Int) -> Int {
        let shift = Int.bitWidth - bits
        return (number << shift) >> shift
    }
}
