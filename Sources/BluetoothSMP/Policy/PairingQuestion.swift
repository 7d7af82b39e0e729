// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// A question of a pairing to the user.
    package enum Question: Hashable, Sendable {
        /// Whether to pair with Just Works, which asks the user nothing else.
        case consent
        /// Whether the peer shows the same six digits.
        case confirm(UInt32)
        /// Show these six digits until the pairing continues. No answer is required.
        case display(UInt32)
        /// The six digits that the peer shows, for the user to enter.
        case enterPasskey
    }

    /// The user's answer.
    package enum Answer: Hashable, Sendable {
        /// The answer yes to `consent` and `confirm`.
        case yes
        /// The answer no to any question, which makes the pairing fail.
        case no
        /// The answer to `enterPasskey`: 0 to 999,999.
        case passkey(UInt32)
        /// A step in the entry of a passkey: the user entered or erased a digit, or erased all of
        /// them.
        case keypress(Keypress)
    }

    /// A step of the user in the entry of a passkey (Vol 3, Part H, 3.5.8).
    public enum Keypress: UInt8, Sendable, CaseIterable {
        /// The entry has started.
        case entryStarted = 0
        /// The user entered a digit.
        case digitEntered = 1
        /// The user erased a digit.
        case digitErased = 2
        /// The user erased all digits.
        case cleared = 3
        /// The user has entered all digits.
        case entryCompleted = 4
    }
}
