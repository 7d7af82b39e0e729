// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// The capabilities of a device to show numbers to the user and to accept input (Vol 3, Part H,
    /// 2.3.2).
    public enum IOCapability: UInt8, Sendable, CaseIterable, CustomStringConvertible {
        /// The device can show six digits and has no input.
        case displayOnly = 0x00
        /// The device can show six digits and accept yes or no.
        case displayYesNo = 0x01
        /// The device can accept six digits and cannot show any.
        case keyboardOnly = 0x02
        /// The device has neither output nor input. Only out-of-band data can then protect against
        /// a man in the middle.
        case noInputNoOutput = 0x03
        /// The device can show and accept six digits.
        case keyboardDisplay = 0x04

        /// The name in the form of command-line arguments, such as `display-yes-no`.
        public var description: String {
            switch self {
            case .displayOnly: "display-only"
            case .displayYesNo: "display-yes-no"
            case .keyboardOnly: "keyboard-only"
            case .noInputNoOutput: "no-input-no-output"
            case .keyboardDisplay: "keyboard-display"
            }
        }
    }
}

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
