// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothL2CAP
import BluetoothSMP

/// A peer refused something until the link is protected better, and the pairing that this led to
/// failed (`HostConfiguration.securesOnDemand`).
///
/// Thrown by the operations of `Link` in the place of the `GATT.Failure` or `L2CAP.Failure` that
/// says the first half only. `Link.pair(_:)`, which nobody has refused anything, throws the
/// `Pairing.Failure` itself.
public struct SecurityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a peer answers instead of what it was asked for.
    public enum Answer: Hashable, Sendable {
        /// The server's error, and the attribute that it is about (Vol 3, Part F, 3.4.1.1).
        case attribute(ATT.ErrorCode, handle: AttributeHandle)
        /// The result of asking for a channel (Vol 3, Part A, 4.23 and 4.26).
        case channel(L2CAP.ConnectionResult)
    }

    /// With what the peer had refused.
    public let answer: Answer
    /// Why the link is not protected better.
    public let pairing: Pairing.Failure

    /// One sentence without a full stop.
    public var description: String {
        switch answer {
        case .attribute(let code, let handle): "refused at \(handle): \(code); \(pairing)"
        case .channel(let result): "the channel was refused: \(result); \(pairing)"
        }
    }
}
