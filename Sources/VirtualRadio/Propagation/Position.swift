// SPDX-License-Identifier: Apache-2.0

/// A place in the world, in meters from the world's origin.
public struct Position: Hashable, Sendable {
    /// The meters to the east.
    public var x: Double
    /// The meters to the north.
    public var y: Double
    /// The meters upward.
    public var z: Double

    /// Creates the place at these coordinates, at height 0 by default.
    public init(x: Double, y: Double, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The origin of the world.
    public static let origin = Position(x: 0, y: 0)

    /// Returns the straight-line distance to the other place, in meters.
    public func distance(to other: Position) -> Double {
        let (east, north, up) = (other.x - x, other.y - y, other.z - z)
        return (east * east + north * north + up * up).squareRoot()
    }

    /// Returns the place at a `fraction` (0 to 1) of the way to the other place.
    func moved(toward other: Position, by fraction: Double) -> Position {
        Position(
            x: x + (other.x - x) * fraction,
            y: y + (other.y - y) * fraction,
            z: z + (other.z - z) * fraction
        )
    }
}
