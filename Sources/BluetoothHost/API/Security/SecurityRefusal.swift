// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothL2CAP
import BluetoothSMP

/// The error of an operation that the peer refuses for lack of security, if the host's attempt to
/// secure the link fails. See ``HostConfiguration/securesOnDemand``.
///
/// Operations of ``Link`` throw it instead of the `GATT.Failure` or `L2CAP.Failure` that contains
/// the peer's answer alone. ``Link/pair(_:)`` throws the `Pairing.Failure` itself.
public struct SecurityRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer's answer to the operation.
    public enum Answer: Hashable, Sendable {
        /// The error of the server and the handle of the attribute (Vol 3, Part F, 3.4.1.1).
        case attribute(ATT.ErrorCode, handle: AttributeHandle)
        /// The result of a channel request (Vol 3, Part A, 4.23 and 4.26).
        case channel(L2CAP.ConnectionResult)
    }

    /// The peer's answer to the operation.
    public let answer: Answer
    /// The reason why the link could not be secured.
    public let pairing: Pairing.Failure

    /// A description in one sentence without a period at its end.
    public var description: String {
        switch answer {
        case .attribute(let code, let handle): "refused at \(handle): \(code); \(pairing)"
        case .channel(let result): "the channel was refused: \(result); \(pairing)"
        }
    }
}
