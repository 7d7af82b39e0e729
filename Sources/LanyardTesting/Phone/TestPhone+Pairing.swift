// SPDX-License-Identifier: Apache-2.0

// The dialogs of pairings.
extension TestPhone {
    /// The reaction of a phone's user to the dialog of a pairing.
    public enum PairingAnswer: Hashable, Sendable {
        /// The user agrees. If the dialog asks for digits, the user enters those that the accessory
        /// displays.
        case accepts
        /// The user cancels the dialog, and the pairing fails.
        case declines
        /// The user agrees. If the dialog asks for digits, the user enters this number, from 0 to
        /// 999,999. A number outside of this range cancels the dialog.
        case enters(Int)
        /// The user does nothing. The pairing fails after 30 seconds (Vol 3, Part H, 3.4).
        case ignores
    }

    /// A dialog that a phone showed during a pairing.
    public enum PairingDialog: Hashable, Sendable {
        /// The phone asked whether to pair, without digits.
        case consent
        /// The phone asked whether the accessory displays the same six digits.
        case comparison(digits: String)
        /// The phone asked for the six digits that the accessory displays.
        case entry
    }

    /// The user's answer to the dialogs of pairings. With `nil`, the default, the phone pairs
    /// without dialogs and without digits.
    ///
    /// ```swift
    /// phone.pairingAnswer = .declines
    /// await #expect(throws: AccessoryError.notPaired) { try await central.pair(.lock) }
    /// #expect(phone.pairingDialogs == [.consent])
    /// ```
    ///
    /// With an answer, the phone has a display and a keyboard, and shows one dialog in each
    /// pairing, as an iPhone does. A change applies to the dialogs that follow. Set the first
    /// answer before the app uses Bluetooth: later, a phone asks for consent only, and never for
    /// digits. The answer replaces `pairingDelegate` of ``adapter``.
    public var pairingAnswer: PairingAnswer? {
        get { user.answer }
        set {
            user.answer = newValue
            // The former delegate is released outside the lock: its `deinit` may use the adapter.
            _ = usage.switches.change { switches in
                defer { switches.pairingDelegate = newValue == nil ? nil : user }
                return switches.pairingDelegate
            }
        }
    }

    /// The dialogs that the phone has shown, oldest first. Only the latest 1,000 are kept.
    public var pairingDialogs: [PairingDialog] { user.dialogs }
}

extension TestPhone.PairingAnswer: CustomStringConvertible {
    /// The action as a verb in the third person, for a ``Story``.
    public var description: String {
        switch self {
        case .accepts: "accepts"
        case .declines: "declines"
        case .enters(let number): "enters \(number)"
        case .ignores: "does nothing"
        }
    }
}

extension TestPhone.PairingDialog: CustomStringConvertible {
    /// The dialog as the end of a sentence about the phone, for a ``Story``.
    public var description: String {
        switch self {
        case .consent: "asks whether to pair"
        case .comparison(let digits): "asks whether the accessory displays \(digits)"
        case .entry: "asks for the digits of the accessory"
        }
    }
}
