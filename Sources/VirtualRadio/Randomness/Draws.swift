// SPDX-License-Identifier: Apache-2.0

extension RandomStream {
    /// After how many pairs that miss the unit circle the Gaussian draw gives up and is 0. One in
    /// five misses, so this happens about once in 10^42 draws.
    static let polarAttemptLimit = 64

    /// A number of [0, 1), all multiples of 2⁻⁵³ equally likely. Spends one number of the stream.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number of 0 ..< `bound`, all equally likely (Lemire, 2019). Spends one number of the
    /// stream, and another in the rare case that the first would favour some results. The bound
    /// must not be 0.
    package mutating func uniform(below bound: UInt64) -> UInt64 {
        precondition(bound > 0, "there is no number below 0")
        let unfair = (0 &- bound) % bound
        var product = next().multipliedFullWidth(by: bound)
        while product.low < unfair {
            product = next().multipliedFullWidth(by: bound)
        }
        return product.high
    }

    /// True with the probability, which is taken as 0 below 0 and as 1 above 1. Spends one number
    /// of the stream whatever the probability, so that changing that disturbs nothing else.
    package mutating func bernoulli(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// A number of the standard normal distribution (Marsaglia's polar method). Spends two numbers
    /// of the stream, and two more for each pair that misses the unit circle.
    package mutating func gaussian() -> Double {
        for _ in 0..<Self.polarAttemptLimit {
            let x = 2 * uniform() - 1
            let y = 2 * uniform() - 1
            let square = x * x + y * y
            guard square > 0, square < 1 else { continue }
            return x * (-2 * Reproducible.naturalLogarithm(square) / square).squareRoot()
        }
        return 0
    }
}
