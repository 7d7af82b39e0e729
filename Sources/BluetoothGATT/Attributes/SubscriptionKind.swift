// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// The PDU in which a server sends changes of a value, as the Client Characteristic
    /// Configuration descriptor determines (Vol 3, Part G, 3.3.3.3).
    public enum SubscriptionKind: Hashable, Sendable {
        /// The server sends notifications, which the client does not confirm.
        case notification
        /// The server sends indications, and sends the next one only after the client has confirmed
        /// the previous one.
        case indication

        /// The value of the descriptor that requests this kind.
        package var configuration: UInt16 {
            switch self {
            case .notification: 0x0001
            case .indication: 0x0002
            }
        }
    }
}
