// SPDX-License-Identifier: Apache-2.0

/// All that goes wrong with one controller beyond what physics does: what it hears, and what passes
/// between it and its host.
public struct FaultPlan: Hashable, Sendable {
    /// What is lost of what it hears.
    public var loss: LossPlan

    /// The plan with these faults.
    public init(loss: LossPlan = .none) {
        self.loss = loss
    }

    /// Nothing goes wrong.
    public static let none = FaultPlan()
}
