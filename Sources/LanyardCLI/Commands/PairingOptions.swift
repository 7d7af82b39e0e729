// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost

/// The options for pairing.
struct PairingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The input and output capability of this side, which decides the pairing method.",
            discussion: """
                display-only, display-yes-no, keyboard-only, no-input-no-output or keyboard-display. \
                The default is keyboard-display at a terminal or with --answers, and \
                no-input-no-output otherwise.
                """,
            valueName: "capability"
        )
    )
    var io: String?

    @Flag(help: "Require protection against a man in the middle.")
    var mitm = false

    @Flag(
        help: "Also allow LE legacy pairing (before Bluetooth 4.2), which eavesdroppers can break."
    )
    var legacy = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The shortest key to accept, 7 to 16.", valueName: "bytes")
    )
    var minKeySize = 16

    @Flag(help: "Pair for this link only, without a bond.")
    var noBond = false

    @Flag(help: "Exchange keypress notifications while digits are entered.")
    var keypresses = false

    @Flag(
        help:
            "Use the published debug key, so that a sniffer can decrypt the link. It protects nothing."
    )
    var debugKeyThatProtectsNothing = false

    @Flag(
        help: ArgumentHelp(
            "Read answers from standard input even if it is not a terminal, one per line.",
            discussion: "Without this flag and without a terminal, all questions are declined."
        )
    )
    var answers = false

    /// Returns the pairing policy that the options describe. Throws if they are not valid.
    ///
    /// - Parameters:
    ///   - hasUser: Whether questions get answers.
    ///   - hasOutOfBandData: Whether the sides exchange data out of band.
    func policy(
        hasUser: Bool,
        hasOutOfBandData: Bool = false
    ) throws(ProgramFailure) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = try capability ?? (hasUser ? .keyboardDisplay : .noInputNoOutput)
        guard LinkSecurity.keySizeRange.contains(minKeySize) else {
            throw .usage("'\(minKeySize)' is not a valid --min-key-size", advice: "use 7 to 16")
        }
        if mitm, policy.ioCapability == .noInputNoOutput, !hasOutOfBandData {
            throw .usage(
                "--mitm needs a person to compare or enter digits",
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

    /// Checks that no option sets how to pair, because the Bluetooth daemon decides that.
    func requireDefaults() throws(ProgramFailure) {
        guard io == nil, !mitm, !legacy, minKeySize == 16, !noBond, !keypresses,
            !debugKeyThatProtectsNothing
        else { throw Self.ofDaemon }
    }

    /// The failure for options on the Bluetooth daemon.
    static let ofDaemon = ProgramFailure.usage(
        "the Bluetooth daemon chooses how it pairs",
        advice: "leave the options for pairing out, except --answers"
    )

    private var capability: Pairing.IOCapability? {
        get throws(ProgramFailure) {
            guard let io else { return nil }
            let all = Pairing.IOCapability.allCases
            guard let capability = all.first(where: { $0.description == io.lowercased() }) else {
                throw .usage(
                    "'\(TerminalText.escape(io))' is not a valid capability",
                    advice: "give \(all.map(\.description).joined(separator: ", "))"
                )
            }
            return capability
        }
    }
}

extension PairingOptions {
    /// Parses the options from words.
    static func parsed(_ words: [String]) throws(ProgramFailure) -> PairingOptions {
        do {
            return try parse(words)
        } catch {
            throw .usage(
                message: message(for: error),
                of: Self.self,
                advice: "see 'lanyard pair --help'"
            )
        }
    }

    /// Returns whether questions get answers: from a person at a terminal, or, with `--answers`,
    /// from standard input.
    func hasUser(at console: Console) -> Bool {
        answers || (console.isInputTerminal && console.isRemarkTerminal)
    }

    /// Returns the queue that asks questions; `nil` if they get no answers.
    ///
    /// - Parameter commands: Receives the lines that answer no question. With `nil`, the queue
    ///   discards such lines if they are typed at a terminal, and otherwise keeps them for later
    ///   questions.
    func questions(
        at console: Console,
        commands: AsyncStream<String>.Continuation? = nil
    ) -> QuestionQueue? {
        guard hasUser(at: console) else { return nil }
        let isTyped = console.isInputTerminal
        return QuestionQueue(
            unasked: commands.map { .passed($0) } ?? (isTyped ? .discarded : .queued),
            say: console.remark,
            forgetTyped: console.forgetTyped,
            hasPerson: isTyped && console.isRemarkTerminal,
            lineStart: console.lineStart
        )
    }

    /// Returns the dialogue that asks through the queue.
    ///
    /// - Parameter console: The console that keeps the question at the bottom, from
    ///   `Console.asking(_:)`.
    func dialogue(_ questions: QuestionQueue?, at console: Console) -> PairingDialogue {
        PairingDialogue(
            questions: questions,
            reportsKeypresses: keypresses,
            say: { text in
                ProgressLine(console: console).clear()
                console.remark(text)
            }
        )
    }
}
