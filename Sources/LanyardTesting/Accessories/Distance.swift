// SPDX-License-Identifier: Apache-2.0

/// The distance of an accessory or a device from the origin of the world. The phones of a
/// ``TestWorld`` are at the origin.
public struct Distance: Hashable, Sendable {
    /// The distance in meters.
    public let meters: Double

    /// Returns a distance in meters. Without a disturbance, a phone receives an accessory up to
    /// about a hundred meters away.
    public static func meters(_ meters: Double) -> Distance { Distance(meters: max(meters, 0)) }

    /// One meter.
    public static let near = Distance(meters: 1)

    /// A distance at which no phone at the origin receives the accessory.
    public static let outOfRange = Distance(meters: 1_000)
}

extension Distance: CustomStringConvertible {
    /// The distance as the end of a sentence: `to 2.0 m` or `out of range`.
    public var description: String {
        self == .outOfRange ? "out of range" : "to \(meters) m"
    }
}
