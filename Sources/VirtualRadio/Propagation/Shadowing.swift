// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What walls and bodies add to the path loss of a pair, or take from it, beyond what distance
/// explains: a normally distributed number of decibels (so, log-normal in power).
///
/// Every pair has a value of its own, the same in both directions. By default it is constant. With
/// a `period` it wanders: every pair draws a new value for each period, and passes from one to the
/// next so that the deviation is the same at every instant.
public struct Shadowing: Hashable, Sendable {
    /// The standard deviation, in decibels; 0 for none. Rooms have 3 to 8.
    public var deviation: Double
    /// How long it takes until a pair's value has nothing to do with what it was; nil for ever.
    public var period: Duration?

    /// Shadowing of this deviation, constant or wandering.
    public init(deviation: Double, period: Duration? = nil) {
        self.deviation = deviation
        self.period = period
    }

    /// No shadowing.
    public static let none = Shadowing(deviation: 0)

    /// What the pair gains (or loses, if negative) at the instant, in decibels. It depends on the
    /// arguments only, not on what was asked before.
    func gain(of pair: RadioPair, at instant: Instant, seed: WorldSeed) -> Double {
        guard deviation > 0 else { return 0 }
        guard let length = period?.nanoseconds, length > 0 else {
            return deviation * draw(0, of: pair, seed: seed)
        }
        let index = UInt64(max(0, instant.nanoseconds) / length)
        let weight = Double(max(0, instant.nanoseconds) % length) / Double(length)
        let last = draw(index, of: pair, seed: seed)
        let next = draw(index + 1, of: pair, seed: seed)
        // The mean of two independent values deviates less than either; the root makes up for it.
        let mean = last * (1 - weight) + next * weight
        return deviation * mean
            / ((1 - weight) * (1 - weight) + weight * weight).squareRoot()
    }

    private func draw(_ index: UInt64, of pair: RadioPair, seed: WorldSeed) -> Double {
        var stream = seed.stream("shadowing", pair.lower.rawValue, pair.higher.rawValue, index)
        return stream.gaussian()
    }
}
