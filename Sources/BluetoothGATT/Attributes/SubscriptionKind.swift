// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// How a server sends a value that nobody asked for: what the Client Characteristic
    /// Configuration descriptor chooses (Vol 3, Part G, 3.3.3.3).
    public enum SubscriptionKind: Hashable, Sendable {
        /// Sent and forgotten.
        case notification
        /// Sent again only after the client has confirmed.
        case indication

        /// The descriptor's value that asks for this kind.
        package var configuration: UInt16 {
            switch self {
            case .notification: 0x0001
            case .indication: 0x0002
            }
        }
    }
}
