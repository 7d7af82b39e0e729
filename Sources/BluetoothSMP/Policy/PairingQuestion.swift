// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// What a pairing asks a person.
    package enum Question: Hashable, Sendable {
        /// Whether to pair, where nothing else would show that it is wanted.
        case consent
        /// Whether the peer shows these six digits, too.
        case confirm(UInt32)
        /// To be shown until the pairing goes on; nobody waits for an answer.
        case display(UInt32)
        /// What six digits the peer shows.
        case enterPasskey
    }

    /// What a person answers.
    package enum Answer: Hashable, Sendable {
        /// To `consent` and `confirm`.
        case yes
        /// To anything: the pairing fails.
        case no
        /// To `enterPasskey`: 0 to 999,999.
        case passkey(UInt32)
        /// On the way to a passkey: a digit was entered or erased, or all were.
        case keypress(Keypress)
    }

    /// What somebody does who enters a passkey (Vol 3, Part H, 3.5.8).
    public enum Keypress: UInt8, Sendable, CaseIterable {
        /// The peer is ready for digits.
        case entryStarted = 0
        /// One digit more.
        case digitEntered = 1
        /// One digit less.
        case digitErased = 2
        /// No digits any more.
        case cleared = 3
        /// All digits are there.
        case entryCompleted = 4
    }
}
