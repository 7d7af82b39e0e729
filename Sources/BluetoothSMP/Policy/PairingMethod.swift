// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// The method by which the devices authenticate each other, from the point of view of the local
    /// device (Vol 3, Part H, 2.3.5.1).
    public enum Method: String, Sendable, CaseIterable, CustomStringConvertible {
        /// No authentication. A man in the middle is not detected.
        case justWorks = "just works"
        /// Both devices show six digits, and the user confirms at each that they are equal.
        case numericComparison = "numeric comparison"
        /// The local device shows six digits, which the user enters at the peer.
        case passkeyDisplay = "passkey display"
        /// The peer shows six digits, which the user enters at the local device.
        case passkeyEntry = "passkey entry"
        /// The user enters the same six digits at both devices.
        case passkeyEntryOnBoth = "passkey entry on both"
        /// The devices use out-of-band data.
        case outOfBand = "out of band"

        /// Whether the method detects a man in the middle.
        public var isAuthenticated: Bool { self != .justWorks }

        /// The name of the method.
        public var description: String { rawValue }
    }
}
