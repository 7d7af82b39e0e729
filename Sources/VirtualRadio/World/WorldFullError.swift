// SPDX-License-Identifier: Apache-2.0

/// The error of adding a controller to a world that already has `World.controllerLimit`
/// controllers.
public struct WorldFullError: Error, Hashable, Sendable, CustomStringConvertible {
    init() {}

    /// A message that states the limit.
    public var description: String {
        "the world is full: it has \(World.controllerLimit) controllers already"
    }
}
