// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// How the two sides make sure of each other, as seen from ours (Vol 3, Part H, 2.3.5.1).
    public enum Method: String, Sendable, CaseIterable, CustomStringConvertible {
        /// Not at all: whoever listens to both may be in between.
        case justWorks = "just works"
        /// Both show six digits, and two people, or one, say that they are the same.
        case numericComparison = "numeric comparison"
        /// We show six digits that are entered at the peer.
        case passkeyDisplay = "passkey display"
        /// The peer shows six digits that are entered here.
        case passkeyEntry = "passkey entry"
        /// The same six digits are entered at both.
        case passkeyEntryOnBoth = "passkey entry on both"
        /// By what was handed over in another way.
        case outOfBand = "out of band"

        /// Whether a man in the middle would be noticed.
        public var isAuthenticated: Bool { self != .justWorks }

        /// The method in words.
        public var description: String { rawValue }
    }
}
