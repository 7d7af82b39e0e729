// SPDX-License-Identifier: Apache-2.0

/// The world already has `World.controllerLimit` controllers, so it cannot have another.
public struct WorldFullError: Error, Hashable, Sendable, CustomStringConvertible {
    init() {}

    /// A message that states the limit.
    public var description: String {
        "the world has no room for another controller: \(World.controllerLimit) are in it"
    }
}
