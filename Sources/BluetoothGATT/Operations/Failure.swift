// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// The reason why an operation failed.
    public enum Failure: Error, Hashable, Sendable {
        /// The server refused the operation with this code at this attribute (Vol 3, Part F,
        /// 3.4.1.1).
        case attribute(ATT.ErrorCode, handle: AttributeHandle)
        /// The server sent a response that the specification does not allow. The text describes it.
        case protocolViolation(String)
        /// In a long or reliable write, the server returns the bytes that it received. For this
        /// attribute, they differ from those that the client sent. No value was written (Vol 3,
        /// Part G, 4.9.5).
        case echoMismatch(handle: AttributeHandle)
        /// The server has more elements than a discovery returns (`GATT.discoveryLimit`).
        case tooManyAttributes
        /// The server did not respond within 30 seconds, and the bearer cannot carry more requests
        /// (Vol 3, Part F, 3.3.3).
        case timedOut
        /// The operation's bearer has closed. Other bearers of the link may still carry requests.
        case bearerClosed
        /// Too many operations wait already. Nothing was sent.
        case queueFull
        /// The value is longer than the operation's limit in bytes. Nothing was sent.
        case valueTooLong(limit: Int)
        /// ATT has no PDU for the operation, or does not permit it now. The text describes the
        /// reason. Nothing was sent.
        case invalidOperation(String)
        /// The caller canceled the operation.
        case cancelled
    }
}

extension GATT.Failure: CustomStringConvertible {
    /// A description for a person, in one line.
    public var description: String {
        switch self {
        case .attribute(let code, let handle): "\(code) (attribute \(handle))"
        case .protocolViolation(let reason): "the peer violated the protocol: \(reason)"
        case .echoMismatch(let handle):
            "the peer returned different bytes than the host wrote (attribute \(handle))"
        case .tooManyAttributes: "the peer has more than \(GATT.discoveryLimit) elements"
        case .timedOut: "the peer did not answer within 30 seconds"
        case .bearerClosed: "the bearer of the operation has closed"
        case .queueFull: "too many operations are waiting"
        case .valueTooLong(let limit): "the value is longer than \(limit) bytes"
        case .invalidOperation(let reason): reason
        case .cancelled: "canceled"
        }
    }
}
