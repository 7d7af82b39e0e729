// SPDX-License-Identifier: Apache-2.0

/// The reason why there is nothing to do for an accessory.
public enum IdleReason: Hashable, Sendable {
    /// The accessory was never paired.
    case neverPaired
    /// The search did not find an accessory in time.
    case notFound
    /// The accessory was paired, but the system no longer knows it. The library connects to it when
    /// it is discovered.
    case unknownToSystem
    /// The app disconnected the accessory.
    case disconnected
    /// The app, or another app on this device, ended the link.
    case cancelled
    /// The app forgot the accessory.
    case forgotten
    /// An attempt failed, and no further attempt follows.
    case failed(LinkFailure)
}

extension IdleReason: CustomStringConvertible {
    /// The reason as the end of a sentence: *It is idle:* …
    public var description: String {
        switch self {
        case .neverPaired: "it was never paired"
        case .notFound: "it was not found in time"
        case .unknownToSystem: "the system no longer knows it"
        case .disconnected: "the app disconnected it"
        case .cancelled: "its link was ended on this device"
        case .forgotten: "it was forgotten"
        case .failed(let failure): "\(failure)"
        }
    }
}
