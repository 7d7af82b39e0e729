// SPDX-License-Identifier: Apache-2.0

/// The reason why a call failed or a connection ended.
package enum DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The called program returned an error with this name and message.
    case failed(name: String, message: String)
    /// The connection to the bus ended, or there is none.
    case disconnected
    /// The bus cannot be reached. The text contains the reason.
    case unreachable(String)
    /// The bus does not accept this user.
    case notPermitted
    /// The bus sent bytes that the specification does not allow. The text describes them.
    case violation(String)
    /// No reply came in time.
    case timedOut
    /// `DBusConnectionCore.pendingCallLimit` calls wait for a reply already.
    case tooManyCalls

    package var description: String {
        switch self {
        case .failed(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .disconnected: "the connection to the message bus ended"
        case .unreachable(let reason): "the message bus cannot be reached: \(reason)"
        case .notPermitted: "the message bus does not accept this user"
        case .violation(let text): "the message bus violated the protocol: \(text)"
        case .timedOut: "no reply in time"
        case .tooManyCalls: "too many calls are waiting"
        }
    }
}
