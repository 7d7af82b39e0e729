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
    /// The time for which the accessory was not ready, if it is `ready` again, for example after
    /// its link was lost or its services changed; otherwise `nil`. The value is also `nil` if the
    /// accessory was idle or this device ended the link meanwhile. The time runs from the moment at
    /// which the loss was noticed.
    public var gap: Duration?

    /// Creates a change, for tests of code that uses changes.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - reason: The reason for the change.
    ///   - number: The number of earlier changes of the accessory.
    ///   - gap: The time for which the accessory was not ready.
    public init(
        _ state: AccessoryState,
        _ reason: ChangeReason,
        number: Int = 0,
        gap: Duration? = nil
    ) {
        self.state = state
        self.reason = reason
        self.number = number
        self.gap = gap
    }
}

extension AccessoryChange: CustomStringConvertible {
    /// The state and the reason in one line, for example for a log.
    public var description: String { "\(state): \(reason)" }
}
