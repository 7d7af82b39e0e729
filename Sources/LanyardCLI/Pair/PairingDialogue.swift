// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// A pairing, as a person is told of it.
struct PairingScene: Equatable, Sendable {
    /// The address of the other side.
    let peer: String
    let method: Pairing.Method
    /// Whether the other side began.
    let isIncoming: Bool
}

/// The conversation of a pairing with the person in front of us: says which method it is before it
/// asks anything, and takes nothing for a yes that is none.
final class PairingDialogue: Sendable {
    /// Where questions are asked; nil: nobody is there, and every question is declined.
    private let desk: AnswerDesk?
    private let say: @Sendable (String) -> Void
    /// Whether the other side is told of digits that are entered here.
    private let reportsKeypresses: Bool

    private struct State {
        var scene: PairingScene?
        var hasBegun = false
        /// How many digits were entered at the other side.
        var pressed = 0
    }

    private let state = Mutex(State())

    init(
        desk: AnswerDesk?,
        reportsKeypresses: Bool = false,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.desk = desk
        self.reportsKeypresses = reportsKeypresses
        self.say = say
    }

    /// How the last pairing went about it; nil if nothing was asked or shown.
    var method: Pairing.Method? { state.withLock { $0.scene?.method } }

    /// Whether something was asked or shown.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Whether to pair where nothing protects from somebody in between.
    func consents(_ scene: PairingScene) async -> Bool {
        announce(scene)
        return await answer(scene, PairingText.consent, PairingText.yesOrNo, PairingText.readYes)
            ?? false
    }

    /// Whether the other side shows the same digits.
    func confirms(_ digits: PairingDigits, _ scene: PairingScene) async -> Bool {
        announce(scene)
        let question = PairingText.comparison(digits)
        return await answer(scene, question, PairingText.yesOrNo, PairingText.readYes) ?? false
    }

    /// Shows digits until the task is cancelled.
    func show(_ digits: PairingDigits, _ scene: PairingScene) async {
        announce(scene)
        say(PairingText.display(digits) + "\n")
        await EndOfInput.never()
    }

    /// The digits that the other side shows; nil declines.
    func enterDigits(
        _ scene: PairingScene,
        press: @Sendable (Pairing.Keypress) -> Void
    ) async -> PairingDigits? {
        announce(scene)
        if reportsKeypresses { press(.entryStarted) }
        let entry = await answer(
            scene,
            PairingText.entry(isOnBoth: scene.method == .passkeyEntryOnBoth),
            PairingText.sixDigits,
            PairingText.readEntry
        )
        guard case .digits(let digits) = entry else { return nil }
        if reportsKeypresses {
            for _ in digits.description { press(.digitEntered) }
            press(.entryCompleted)
        }
        return digits
    }

    /// Somebody enters digits at the other side.
    func peerPressed(_ keypress: Pairing.Keypress) {
        let count = state.withLock { state in
            switch keypress {
            case .entryStarted, .cleared: state.pressed = 0
            case .digitEntered: state.pressed += 1
            case .digitErased: state.pressed = max(0, state.pressed - 1)
            case .entryCompleted: break
            }
            return state.pressed
        }
        say(PairingText.entered(count, isComplete: keypress == .entryCompleted) + "\n")
    }

    /// Whether to pair anew with a peer that has lost its keys.
    func pairsAgain(_ peer: String) async -> Bool {
        state.withLock { $0.hasBegun = true }
        say(PairingText.lost(peer) + "\n")
        guard let desk else { return decline(PairingText.whatAgainNeeds) }
        let question = PairingText.again
        return await desk.ask(question, hint: PairingText.yesOrNo, PairingText.readYes) ?? false
    }

    private func announce(_ scene: PairingScene) {
        let isNew = state.withLock { state in
            defer { (state.scene, state.pressed, state.hasBegun) = (scene, 0, true) }
            return state.scene != scene
        }
        if isNew { say(PairingText.announcement(scene) + "\n") }
    }

    private func answer<Answer: Sendable>(
        _ scene: PairingScene,
        _ prompt: String,
        _ hint: String,
        _ read: @escaping @Sendable (String) -> Answer?
    ) async -> Answer? {
        if let desk { return await desk.ask(prompt, hint: hint, read) }
        _ = decline(PairingText.need(of: scene.method))
        return nil
    }

    private func decline(_ need: String) -> Bool {
        say("lanyard: declined: \(need); \(PairingText.howToAnswer)\n")
        return false
    }
}
