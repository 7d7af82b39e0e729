// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The conversion from the number in the bytes to a number in the field's unit.
enum FieldScale: Hashable, Sendable {
    /// (number + `offset`) × `factor` × 10 to the power of `exponent`. A division by a power of two
    /// is expressed with a power of ten: 1/8 is 125 × 10⁻³.
    case decimal(factor: Int64, exponent: Int, offset: Int64)
    /// number × `factor`.
    case binary(Double)
    /// `base` to the power of (number + `offset`) / `divisor`.
    case power(base: Double, offset: Double, divisor: Double)

    static let one = FieldScale.decimal(factor: 1, exponent: 0, offset: 0)

    /// Returns the number in the unit.
    func value(of number: Int64) -> Double {
        switch self {
        case .decimal(let factor, let exponent, let offset):
            let mantissa = Double(number + offset) * Double(factor)
            return exponent < 0
                ? mantissa / pow(10, Double(-exponent)) : mantissa * pow(10, Double(exponent))
        case .binary(let factor): return Double(number) * factor
        case .power(let base, let offset, let divisor):
            return pow(base, (Double(number) + offset) / divisor)
        }
    }

    /// Returns the nearest number in the bytes; `nil` if an `Int64` cannot represent it.
    func number(of value: Double) -> Int64? {
        let raw =
            switch self {
            case .decimal(let factor, let exponent, let offset):
                (exponent < 0
                    ? value * pow(10, Double(-exponent)) : value / pow(10, Double(exponent)))
                    / Double(factor) - Double(offset)
            case .binary(let factor): value / factor
            case .power(let base, let offset, let divisor):
                log(value) / log(base) * divisor - offset
            }
        return Int64(exactly: raw.rounded())
    }

    /// Returns the number in the unit, in decimal digits.
    func describe(_ number: Int64) -> String {
        switch self {
        case .decimal(let factor, let exponent, let offset):
            let (product, overflow) = (number + offset).multipliedReportingOverflow(by: factor)
            guard !overflow else { return String(value(of: number)) }
            let text = DecimalText.describe(Int(product), exponent: exponent)
            return factor % 5 == 0 && factor > 1 ? Self.withoutZeros(text) : text
        case .binary: return String((value(of: number) * 1e7).rounded() / 1e7)
        case .power:
            let value = value(of: number)
            let digits = value >= 1000 ? 1 : value >= 1 ? 1e2 : 1e5
            return String((value * digits).rounded() / digits)
        }
    }

    /// The difference in the unit between two neighboring encoded numbers; `nil` unless the scale
    /// is `decimal`.
    var step: String? {
        guard case .decimal(let factor, let exponent, _) = self else { return nil }
        return Self.withoutZeros(DecimalText.describe(Int(factor), exponent: exponent))
    }

    /// Returns the text without zeros at the end of its decimal places, as a division by a power of
    /// two produces them.
    private static func withoutZeros(_ text: String) -> String {
        guard text.contains(".") else { return text }
        var digits = text
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits
    }
}
