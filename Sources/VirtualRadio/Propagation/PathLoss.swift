// SPDX-License-Identifier: Apache-2.0

/// How much weaker a signal arrives than it was sent: the log-distance model.
///
/// The loss in decibels is `reference + 10 · exponent · log₁₀ d`, for d metres. The reference is
/// the loss over the first metre, about 40 dB at 2.44 GHz between ideal antennas. The exponent says
/// what is in the way.
public struct PathLoss: Hashable, Sendable {
    /// Two devices are never closer than this, in metres: the model is wrong near the antenna.
    public static let distanceMinimum = 0.01

    /// The loss over the first metre, in decibels.
    public var reference: Double
    /// How fast a signal fades: by ten times this many decibels for each tenfold distance.
    public var exponent: Double

    /// The model with these numbers.
    public init(reference: Double = 40.2, exponent: Double) {
        self.reference = reference
        self.exponent = exponent
    }

    /// Nothing in the way: the power falls with the square of the distance.
    public static let freeSpace = PathLoss(exponent: 2)
    /// Rooms with furniture and people in them.
    public static let indoors = PathLoss(exponent: 2.7)
    /// Walls, ceilings and metal in between.
    public static let obstructed = PathLoss(exponent: 3.5)

    /// The loss over so many metres, in decibels.
    public func decibels(distance: Double) -> Double {
        let metres = max(distance, Self.distanceMinimum)
        return reference + 10 * exponent * Reproducible.decimalLogarithm(metres)
    }
}
