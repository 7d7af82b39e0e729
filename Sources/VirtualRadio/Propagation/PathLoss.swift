// SPDX-License-Identifier: Apache-2.0

/// The attenuation of a signal with distance: the log-distance model.
///
/// The loss in decibels is `reference + 10 · exponent · log₁₀ d`, for d meters. The reference is
/// the loss over the first meter, about 40 dB at 2.44 GHz between ideal antennas. The exponent
/// describes the obstacles. The loss is never negative, because a receiver cannot take more power
/// from a signal than the transmitter has sent. The formula is wrong for distances of a few
/// centimeters, which are less than a wavelength.
public struct PathLoss: Hashable, Sendable {
    /// The minimum distance between two devices in the model, in meters.
    public static let distanceMinimum = 0.01

    /// The loss over the first meter, in decibels.
    public var reference: Double
    /// The exponent. At ten times the distance, the loss is 10 · `exponent` decibels higher.
    public var exponent: Double

    /// Creates a model with this reference loss and exponent.
    public init(reference: Double = 40.2, exponent: Double) {
        self.reference = reference
        self.exponent = exponent
    }

    /// A path without obstacles: the power falls with the square of the distance.
    public static let freeSpace = PathLoss(exponent: 2)
    /// Rooms with furniture and people.
    public static let indoors = PathLoss(exponent: 2.7)
    /// Walls, ceilings and metal between the devices.
    public static let obstructed = PathLoss(exponent: 3.5)

    /// Returns the loss over a distance in meters, in decibels. It is 0 or more.
    public func decibels(distance: Double) -> Double {
        let meters = max(distance, Self.distanceMinimum)
        return max(0, reference + 10 * exponent * ReproducibleMath.decimalLogarithm(meters))
    }
}
