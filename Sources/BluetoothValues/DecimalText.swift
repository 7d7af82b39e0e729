// SPDX-License-Identifier: Apache-2.0

/// Decimal text for the SIG's decimal numbers, which consist of an integer and a power of ten.
package enum DecimalText {
    /// Returns `mantissa` × 10 to the power of `exponent` in decimal digits.
    package static func describe(_ mantissa: Int, exponent: Int) -> String {
        guard exponent < 0, mantissa != 0 || exponent >= -digitsLimit else {
            return mantissa == 0
                ? "0" : "\(mantissa)" + String(repeating: "0", count: max(0, exponent))
        }
        let digits = String(mantissa.magnitude)
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
        return (mantissa < 0 ? "-" : "") + padded.dropLast(-exponent) + "."
            + padded.suffix(-exponent)
    }

    /// The maximum number of decimal places of a zero.
    private static let digitsLimit = 6
}
