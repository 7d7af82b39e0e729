// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The shadowing of a pair of radios: the number of decibels that walls and bodies add to the path
/// loss, or subtract from it. It is normally distributed in decibels, so log-normal in power.
///
/// Every pair has its own value, the same in both directions. By default it is constant. With a
/// `period` it varies: every pair draws a new value for each period, and changes from one value to
/// the next so that the deviation is the same at every instant.
public struct Shadowing: Hashable, Sendable {
    /// The standard deviation, in decibels; 0 for no shadowing. Typical rooms have 3 to 8.
    public var deviation: Double
    /// The time from one value that a pair draws to the next; `nil` for constant values.
    public var period: Duration?

    /// Creates shadowing with this deviation, constant or varying.
    public init(deviation: Double, period: Duration? = nil) {
        self.deviation = deviation
        self.period = period
    }

    /// No shadowing.
    public static let none = Shadowing(deviation: 0)

    /// Returns the gain of the pair at the instant, in decibels; a negative gain is a loss. The
    /// result depends only on the arguments, not on earlier calls.
    func gain(of pair: RadioPair, at instant: Instant, seed: WorldSeed) -> Double {
        guard deviation > 0 else { return 0 }
        guard let length = period?.nanoseconds, length > 0 else {
            return deviation * draw(0, of: pair, seed: seed)
        }
        let index = UInt64(max(0, instant.nanoseconds) / length)
        let weight = Double(max(0, instant.nanoseconds) % length) / Double(length)
        let last = draw(index, of: pair, seed: seed)
        let next = draw(index + 1, of: pair, seed: seed)
        // The weighted mean of two independent values has a smaller deviation than either. The
        // division by the square root restores it.
        let mean = last * (1 - weight) + next * weight
        return deviation * mean
            / ((1 - weight) * (1 - weight) + weight * weight).squareRoot()
    }

    private func draw(_ index: UInt64, of pair: RadioPair, seed: WorldSeed) -> Double {
        var stream = seed.stream("shadowing", pair.lower.rawValue, pair.higher.rawValue, index)
        return stream.gaussian()
    }
}
