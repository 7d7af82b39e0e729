// SPDX-License-Identifier: Apache-2.0

/// Why nothing is done for an accessory.
public enum IdleReason: Hashable, Sendable {
    /// It was never paired.
    case neverPaired
    /// It was looked for, and not found in time.
    case notFound
    /// It was paired, but the system does not know it any more. It is taken up when it is seen.
    case unknownToSystem
    /// The application has disconnected it.
    case disconnected
    /// The application, or another of this device's, has ended its link.
    case cancelled
    /// The application has forgotten it.
    case forgotten
    /// It cannot be used, and trying again would not help.
    case failed(LinkFailure)
}

extension IdleReason: CustomStringConvertible {
    /// A sentence's end: *It is idle:* …
    public var description: String {
        switch self {
        case .neverPaired: "it was never paired"
        case .notFound: "it was not found in time"
        case .unknownToSystem: "the system does not know it any more"
        case .disconnected: "the application disconnected it"
        case .cancelled: "its link was ended on this device"
        case .forgotten: "it was forgotten"
        case .failed(let failure): "\(failure)"
        }
    }
}
