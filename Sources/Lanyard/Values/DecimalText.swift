// SPDX-License-Identifier: Apache-2.0

/// Decimal numbers as the SIG sends them: a whole number and a power of ten.
package enum DecimalText {
    /// `mantissa` × 10 to the power of `exponent`, in plain digits.
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

    /// Zero is not written with more decimals than this.
    private static let digitsLimit = 6
}
