// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost

/// What pairing may come to.
struct PairingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What this side can show and learn; decides on the method.",
            discussion: """
                display-only, display-yes-no, keyboard-only, no-input-no-output or \
                keyboard-display: the last if somebody is there to answer, otherwise that before it.
                """,
            valueName: "capability"
        )
    )
    var io: String?

    @Flag(help: "Accept no key that somebody in between could have a part in.")
    var mitm = false

    @Flag(help: "Also pair in the way of before Bluetooth 4.2, which listeners can break.")
    var legacy = false

    @Option(help: ArgumentHelp("The shortest key to accept, 7 to 16.", valueName: "octets"))
    var minKeySize = 16

    @Flag(help: "Keep no keys: good for this link only.")
    var noBond = false

    @Flag(help: "Tell each other of each digit that is entered.")
    var keypresses = false

    @Flag(help: "Use the key that everybody knows, for a sniffer to follow; it protects nothing.")
    var debugKeyThatProtectsNothing = false

    @Flag(
        help: ArgumentHelp(
            "Take answers from standard input, although it is no terminal: a line each.",
            discussion: "Without it, and without a terminal, all questions are declined."
        )
    )
    var answers = false

    /// The policy that the options describe; throws if they make no sense.
    ///
    /// - Parameters:
    ///   - hasSomebody: whether somebody is there to answer.
    ///   - hasOutOfBandData: whether the sides are told of each other in another way.
    func policy(
        hasSomebody: Bool,
        hasOutOfBandData: Bool = false
    ) throws(ProgramFailure) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = try capability ?? (hasSomebody ? .keyboardDisplay : .noInputNoOutput)
        guard LinkSecurity.keySizeRange.contains(minKeySize) else {
            throw .usage("--min-key-size \(minKeySize) makes no sense", advice: "give 7 to 16")
        }
        if mitm, policy.ioCapability == .noInputNoOutput, !hasOutOfBandData {
            throw .usage(
                "--mitm needs somebody to compare or enter digits",
                advice: "run this at a terminal, or with --io and --answers, or --oob"
            )
        }
        policy.minimumKeySize = minKeySize
        policy.requiresAuthentication = mitm
        policy.allowsLegacyPairing = legacy
        policy.isBonding = !noBond
        policy.usesKeypressNotifications = keypresses
        policy.usesPublishedDebugKey = debugKeyThatProtectsNothing
        return policy
    }

    private var capability: Pairing.IOCapability? {
        get throws(ProgramFailure) {
            guard let io else { return nil }
            let all = Pairing.IOCapability.allCases
            guard let capability = all.first(where: { $0.description == io.lowercased() }) else {
                throw .usage(
                    "'\(TerminalText.escape(io))' is no capability",
                    advice: "give \(all.map(\.description).joined(separator: ", "))"
                )
            }
            return capability
        }
    }
}

extension PairingOptions {
    /// Whether somebody is there to answer.
    func hasSomebody(at console: Console) -> Bool {
        answers || (console.isInputTerminal && console.isRemarkTerminal)
    }

    /// Where questions are asked; nil if nobody is there.
    ///
    /// - Parameter orders: what gets the lines that answer nothing; nil: nothing does.
    func desk(
        at console: Console,
        orders: AsyncStream<String>.Continuation? = nil
    ) -> AnswerDesk? {
        guard hasSomebody(at: console) else { return nil }
        let isPerson = console.isInputTerminal
        guard let orders else {
            return AnswerDesk(
                unasked: isPerson ? .discarded : .kept,
                say: console.remark,
                forgetTyped: console.forgetTyped
            )
        }
        return AnswerDesk(unasked: .passed(orders), say: console.remark)
    }

    /// Who asks there.
    func dialogue(_ desk: AnswerDesk?, at console: Console) -> PairingDialogue {
        PairingDialogue(
            desk: desk,
            reportsKeypresses: keypresses,
            say: { text in
                ProgressLine(console: console).clear()
                console.remark(text)
            }
        )
    }
}
