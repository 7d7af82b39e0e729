// SPDX-License-Identifier: Apache-2.0

/// The transcendental functions of this module, with the same last bit on every machine.
///
/// The last digits of a platform's mathematical library are not specified, and one digit is enough
/// to turn a received packet into a lost one. These functions use only operations that IEEE 754
/// defines exactly: sum, product, quotient, and the separation of a number into exponent and
/// significand. Swift does not fuse a product and a sum unless the code requests it. The functions
/// are accurate to about fifteen digits, which is far more than the radio model needs.
enum ReproducibleMath {
    private static let ln2 = 0.693_147_180_559_945_3
    private static let ln10 = 2.302_585_092_994_046
    private static let squareRootOf2 = 1.414_213_562_373_095_1

    /// Returns the natural logarithm of a positive finite number; minus infinity for all others.
    static func naturalLogarithm(_ x: Double) -> Double {
        guard x > 0, x.isFinite else { return -.infinity }
        var exponent = Double(x.exponent)
        var significand = x.significand
        if significand > squareRootOf2 {
            significand /= 2
            exponent += 1
        }
        // ln m = 2 artanh s, for s = (m - 1) / (m + 1). |s| < 0.172, so eleven terms are enough.
        let s = (significand - 1) / (significand + 1)
        let square = s * s
        var sum = 0.0
        for denominator in stride(from: 21.0, through: 1, by: -2) {
            sum = sum * square + 1 / denominator
        }
        return exponent * ln2 + 2 * s * sum
    }

    /// Returns the decimal logarithm of a positive finite number; minus infinity for all others.
    static func decimalLogarithm(_ x: Double) -> Double {
        naturalLogarithm(x) / ln10
    }

    /// Returns e to the power of `x`; 0 up to -700, infinity from 700 on and for NaN.
    static func exponential(_ x: Double) -> Double {
        guard x > -700 else { return x.isNaN ? .infinity : 0 }
        guard x < 700 else { return .infinity }
        let halvings = (x / ln2).rounded()
        let rest = x - halvings * ln2
        // Taylor's series by Horner's rule. |rest| < 0.35, so fifteen terms are enough.
        var sum = 1.0
        for divisor in stride(from: 15.0, through: 1, by: -1) {
            sum = 1 + rest / divisor * sum
        }
        return sum * Double(sign: .plus, exponent: Int(halvings), significand: 1)
    }

    /// Returns the ratio that `decibels` express.
    static func ratio(decibels: Double) -> Double {
        exponential(decibels / 10 * ln10)
    }
}
