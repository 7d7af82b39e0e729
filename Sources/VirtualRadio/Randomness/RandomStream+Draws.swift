// SPDX-License-Identifier: Apache-2.0

extension RandomStream {
    /// The number of pairs outside the unit circle after which the Gaussian draw returns 0. One
    /// pair in five is outside, so this happens about once in 10^42 draws.
    static let polarAttemptLimit = 64

    /// Returns a number in [0, 1): all multiples of 2⁻⁵³ are equally likely. Consumes one number of
    /// the stream.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Returns a number in 0 ..< `bound`, all equally likely (Lemire, 2019). Consumes one number of
    /// the stream, and another each time that a number would favor some results, which is rare. The
    /// bound must not be 0.
    package mutating func uniform(below bound: UInt64) -> UInt64 {
        precondition(bound > 0, "the bound must be greater than 0")
        let unfair = (0 &- bound) % bound
        var product = next().multipliedFullWidth(by: bound)
        while product.low < unfair {
            product = next().multipliedFullWidth(by: bound)
        }
        return product.high
    }

    /// Returns `true` with the probability; a probability below 0 counts as 0, and above 1 as 1.
    /// Consumes one number of the stream whatever the probability, so that a change of the
    /// probability does not affect other draws.
    package mutating func bernoulli(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// Returns a number of the standard normal distribution (Marsaglia's polar method). Consumes
    /// two numbers of the stream, and two more for each pair that is outside the unit circle.
    package mutating func gaussian() -> Double {
        for _ in 0..<Self.polarAttemptLimit {
            let x = 2 * uniform() - 1
            let y = 2 * uniform() - 1
            let square = x * x + y * y
            guard square > 0, square < 1 else { continue }
            return x * (-2 * ReproducibleMath.naturalLogarithm(square) / square).squareRoot()
        }
        return 0
    }
}
