// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// Why an operation ended without what was asked for.
    public enum Failure: Error, Hashable, Sendable {
        /// The server refused, with this code, at this attribute (Vol 3, Part F, 3.4.1.1).
        case attribute(ATT.ErrorCode, handle: AttributeHandle)
        /// The server gave an answer that the specification does not allow; the text says how.
        case protocolViolation(String)
        /// The server returned something other than what was to be written at this attribute, and
        /// nothing was written (Vol 3, Part G, 4.9.5).
        case echoMismatch(handle: AttributeHandle)
        /// The server described more than a discovery keeps (`GATT.discoveryLimit`).
        case tooManyAttributes
        /// The server did not answer within 30 s; the link can carry no more requests
        /// (Vol 3, Part F, 3.3.3).
        case timedOut
        /// The link ended, or no longer carries requests.
        case bearerClosed
        /// Too many operations wait already; nothing was sent.
        case queueFull
        /// The value is longer than the operation can carry: `limit` octets. Nothing was sent.
        case valueTooLong(limit: Int)
        /// The operation has a form that ATT cannot express; the text says how. Nothing was sent.
        case invalidOperation(String)
        /// The operation was cancelled by who started it.
        case cancelled
    }
}

extension GATT.Failure: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .attribute(let code, let handle): "\(code) (attribute \(handle))"
        case .protocolViolation(let reason): "the peer broke the protocol: \(reason)"
        case .echoMismatch(let handle):
            "the peer returned other bytes than were written (attribute \(handle))"
        case .tooManyAttributes: "the peer has more than \(GATT.discoveryLimit) of these"
        case .timedOut: "the peer did not answer within 30 seconds"
        case .bearerClosed: "the link has ended"
        case .queueFull: "too many operations are waiting"
        case .valueTooLong(let limit): "the value is longer than \(limit) bytes"
        case .invalidOperation(let reason): reason
        case .cancelled: "cancelled"
        }
    }
}
