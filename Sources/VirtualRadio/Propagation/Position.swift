// SPDX-License-Identifier: Apache-2.0

/// A place in the world, in metres from an origin of the world's own.
public struct Position: Hashable, Sendable {
    /// Metres to the east.
    public var x: Double
    /// Metres to the north.
    public var y: Double
    /// Metres up.
    public var z: Double

    /// The place at these coordinates; on the ground, if no height is given.
    public init(x: Double, y: Double, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The middle of the world.
    public static let origin = Position(x: 0, y: 0)

    /// The metres from here to there, as the crow flies.
    public func distance(to other: Position) -> Double {
        let (east, north, up) = (other.x - x, other.y - y, other.z - z)
        return (east * east + north * north + up * up).squareRoot()
    }

    /// The place that lies a `fraction` (0 to 1) of the way to the other.
    func moved(toward other: Position, by fraction: Double) -> Position {
        Position(
            x: x + (other.x - x) * fraction,
            y: y + (other.y - y) * fraction,
            z: z + (other.z - z) * fraction
        )
    }
}
