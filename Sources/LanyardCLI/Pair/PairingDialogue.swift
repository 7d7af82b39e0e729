// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import VirtualAdapters

/// The peer and the method of a pairing.
struct PairingContext: Equatable, Sendable {
    /// The peer's address.
    let peer: String
    let method: Pairing.Method
    /// Whether the peer started the pairing.
    let isIncoming: Bool
}

/// The questions that pairing asks a person. Only a yes, or entered digits, accepts a pairing.
final class PairingDialogue: Sendable {
    /// The queue that asks the questions. If it is `nil`, every question is declined.
    private let questions: QuestionQueue?
    private let say: @Sendable (String) -> Void

    private struct State {
        /// Whether the peer receives a notification for each digit that is entered here.
        var reportsKeypresses = false
        var context: PairingContext?
        var hasBegun = false
        var hasDeclined = false
        /// The number of digits that were entered on the peer.
        var pressed = 0
        /// The displays of the accessories on a virtual radio, which a person cannot see otherwise.
        var screens: @Sendable () async -> [PairingText.Screen] = { [] }
    }

    private let state = Mutex(State())

    init(
        questions: QuestionQueue?,
        reportsKeypresses: Bool = false,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.questions = questions
        self.say = say
        state.withLock { $0.reportsKeypresses = reportsKeypresses }
    }

    /// Whether a person, or a script, answers questions.
    var hasUser: Bool { questions != nil }

    /// The method of the last pairing; `nil` if the pairing asked no question and showed no digits.
    var method: Pairing.Method? { state.withLock { $0.context?.method } }

    /// Whether a question was asked or digits were shown.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Whether a question was answered with no, or not answered.
    var hasDeclined: Bool { state.withLock { $0.hasDeclined } }

    /// Forgets the last pairing, before another one begins.
    func reset(reportsKeypresses: Bool = false) {
        state.withLock { state in
            (state.context, state.hasBegun, state.hasDeclined) = (nil, false, false)
            state.reportsKeypresses = reportsKeypresses
        }
    }

    /// Shows the displays of the accessories on a virtual radio with each question of a pairing.
    func watch(_ air: LiveAir) {
        state.withLock { state in
            state.screens = {
                await air.perform { world in
                    world.status.controllers.compactMap { controller in
                        controller.screen.map { (controller.label, $0) }
                    }
                }
            }
        }
    }

    /// Asks whether to pair.
    func consents(_ context: PairingContext) async -> Bool {
        noted(
            await ask(
                context,
                PairingText.consent(context),
                PairingText.yesOrNo,
                PairingText.readYes
            )
        )
    }

    /// Asks whether the peer shows the same digits.
    func confirms(_ digits: PairingDigits, _ context: PairingContext) async -> Bool {
        let question = PairingText.comparison(digits, context)
        return noted(await ask(context, question, PairingText.yesOrNo, PairingText.readYes))
    }

    /// Shows digits until the task is canceled.
    func show(_ digits: PairingDigits, _ context: PairingContext) async {
        begin(context)
        say(PairingText.announcement(context) + "\n" + PairingText.display(digits, context) + "\n")
        await EndOfInput.never()
    }

    /// Asks for the digits that the peer shows; `nil` declines.
    func enterDigits(
        _ context: PairingContext,
        press: @Sendable (Pairing.Keypress) -> Void
    ) async -> PairingDigits? {
        let reportsKeypresses = state.withLock { $0.reportsKeypresses }
        if reportsKeypresses { press(.entryStarted) }
        let entry = await ask(
            context,
            PairingText.entry(context),
            PairingText.sixDigits,
            PairingText.readEntry
        )
        guard case .digits(let digits) = entry else {
            _ = noted(false)
            return nil
        }
        if reportsKeypresses {
            for _ in digits.description { press(.digitEntered) }
            press(.entryCompleted)
        }
        return digits
    }

    /// Shows that digits are entered on the peer.
    func peerPressed(_ keypress: Pairing.Keypress, _ context: PairingContext) {
        let count = state.withLock { state in
            switch keypress {
            case .entryStarted, .cleared: state.pressed = 0
            case .digitEntered: state.pressed += 1
            case .digitErased: state.pressed = max(0, state.pressed - 1)
            case .entryCompleted: break
            }
            return state.pressed
        }
        let isComplete = keypress == .entryCompleted
        say(PairingText.entered(count, isComplete: isComplete, context) + "\n")
    }

    /// Asks whether to pair again with a peer that has lost its keys.
    func pairsAgain(_ peer: String) async -> Bool {
        state.withLock { $0.hasBegun = true }
        let introduction = PairingText.lost(peer) + "\n"
        guard let questions else {
            say(introduction)
            decline(PairingText.needOfPairingAgain)
            return noted(false)
        }
        return noted(
            await questions.ask(
                PairingText.again(peer),
                introduction: introduction,
                hint: PairingText.yesOrNo,
                PairingText.readYes
            )
        )
    }

    /// Returns the answer to a question, or a no if there is none. Records a no.
    private func noted(_ answer: Bool?) -> Bool {
        if answer != true { state.withLock { $0.hasDeclined = true } }
        return answer ?? false
    }

    private func begin(_ context: PairingContext) {
        state.withLock { ($0.context, $0.pressed, $0.hasBegun) = (context, 0, true) }
    }

    private func ask<Answer: Sendable>(
        _ context: PairingContext,
        _ prompt: String,
        _ hint: String,
        _ read: @escaping @Sendable (String) -> Answer?
    ) async -> Answer? {
        begin(context)
        let screens = await state.withLock { $0.screens }()
        let introduction = ([PairingText.announcement(context)] + screens.map(PairingText.shown))
            .map { $0 + "\n" }.joined()
        if let questions {
            return await questions.ask(prompt, introduction: introduction, hint: hint, read)
        }
        say(introduction)
        decline(PairingText.need(of: context.method))
        return nil
    }

    private func decline(_ need: String) {
        say("lanyard: declined: \(need); \(PairingText.howToAnswer)\n")
    }
}

/// A delegate that passes the host's pairing questions to the person at the terminal.
struct TerminalDelegate: PairingDelegate {
    let dialogue: PairingDialogue
    /// The permission for peers to begin a pairing through the Bluetooth daemon; `nil` if they need
    /// none.
    var permission: PairingPermission?

    func consents(to pairing: PairingRequest) async -> Bool {
        await dialogue.consents(PairingContext(pairing))
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await dialogue.confirms(digits, PairingContext(pairing))
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        await dialogue.show(digits, PairingContext(pairing))
    }

    func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        await dialogue.enterDigits(PairingContext(pairing)) { entry.report($0) }
    }

    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        dialogue.peerPressed(keypress, PairingContext(pairing))
    }

    func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
        await dialogue.pairsAgain(BondText.name(of: AccessoryBond(peer)))
    }
}

extension PairingContext {
    init(_ pairing: PairingRequest) {
        peer = AddressText.describe(pairing.address)
        method = pairing.method
        isIncoming = pairing.isIncoming
    }
}
