// SPDX-License-Identifier: Apache-2.0

/// A change of an accessory's state, and why it came.
public struct AccessoryChange: Hashable, Sendable {
    /// What the accessory does now.
    public var state: AccessoryState
    /// Why.
    public var reason: ChangeReason
    /// How many changes of this accessory came before it. Numbers are missing where somebody who listens
    /// was so slow that changes had to be dropped.
    public var number: Int

    /// A change, for tests of what is made of it.
    public init(_ state: AccessoryState, _ reason: ChangeReason, number: Int = 0) {
        self.state = state
        self.reason = reason
        self.number = number
    }
}

extension AccessoryChange: CustomStringConvertible {
    /// Both in one line, as for a log.
    public var description: String { "\(state): \(reason)" }
}
