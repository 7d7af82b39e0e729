// SPDX-License-Identifier: Apache-2.0

/// A world has no room for another controller: it has `World.controllerLimit`.
public struct WorldFullError: Error, Hashable, Sendable, CustomStringConvertible {
    init() {}

    /// What is wrong, and how many there may be.
    public var description: String {
        "the world has no room for another controller: \(World.controllerLimit) are in it"
    }
}
