// SPDX-License-Identifier: Apache-2.0

/// A change of an accessory's state, with its reason.
public struct AccessoryChange: Hashable, Sendable {
    /// The new state.
    public var state: AccessoryState
    /// The reason for the change.
    public var reason: ChangeReason
    /// The number of earlier changes of this accessory. A gap in the numbers means that a slow
    /// subscriber lost changes.
    public var number: Int

    /// Creates a change, for tests of code that uses changes.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - reason: The reason for the change.
    ///   - number: The number of earlier changes of the accessory.
    public init(_ state: AccessoryState, _ reason: ChangeReason, number: Int = 0) {
        self.state = state
        self.reason = reason
        self.number = number
    }
}

extension AccessoryChange: CustomStringConvertible {
    /// The state and the reason in one line, for example for a log.
    public var description: String { "\(state): \(reason)" }
}
