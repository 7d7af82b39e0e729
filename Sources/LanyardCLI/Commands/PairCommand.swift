// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost

struct PairCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair with a peripheral and keep the bond.",
        discussion: """
            Prints the pairing method, asks the questions of that method, and prints the result. Any \
            answer but yes to a yes-or-no question means no. If the capabilities of the sides allow \
            no digits, and there is no out-of-band data, the pairing does not protect against a man \
            in the middle; --mitm refuses such a pairing. Later commands use the bond. \
            docs/PAIRING.md describes the methods.
            """
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String
    @OptionGroup var pairing: PairingOptions

    @Option(
        help: ArgumentHelp(
            "Pair with the peripheral's out-of-band data in this file; see docs/PAIRING.md.",
            valueName: "file"
        ),
        completion: .file()
    )
    var oob: String?

    @Option(
        help: ArgumentHelp(
            "Write out-of-band data for the peripheral to this file, and wait until you hand it over.",
            valueName: "file"
        ),
        completion: .file()
    )
    var makeOob: String?

    @Flag(help: "Pair again without asking if the peripheral has lost its bond.")
    var again = false

    @OptionGroup var options: AdapterOptions

    func run(on terminal: Console) async throws {
        let target = try Target(target)
        let questions = pairing.questions(at: terminal)
        let console = terminal.asking(questions)
        var session = try options.session(on: console, worksOnDaemon: true)
        let isOnDaemon = if case .daemon = session.adapter { true } else { false }
        if isOnDaemon { try requireDefaults() }
        var policy = try pairing.policy(
            hasUser: questions != nil,
            hasOutOfBandData: oob != nil || makeOob != nil
        )
        policy.peerOutOfBandData = try oob.map(OutOfBandFile.read)
        let dialogue = pairing.dialogue(questions, at: console)
        if !isOnDaemon, session.store == .none, !pairing.noBond {
            console.remark(Self.noStoreNotice)
        }
        session.requiresStore = !pairing.noBond
        session.onAir = dialogue.watch
        let input = questions.map { questions in Task { await questions.run(on: console.lines()) } }
        defer { input?.cancel() }
        if let makeOob {
            policy.localOutOfBandData = try await handOver(in: makeOob, questions, on: console)
        }
        session.pairing = PairingSetup(
            policy: policy,
            delegate: TerminalDelegate(dialogue: dialogue),
            bondLossPolicy: again ? .pairOnce : .ask,
            pairsAsItConnects: true,
            hasStartedDialogue: { dialogue.hasBegun },
            hasDeclined: { dialogue.hasDeclined }
        )
        try await session.withAccessory(to: target) { [policy, session] link, found in
            let procedure = PairingProcedure(
                link: link,
                policy: policy,
                dialogue: dialogue,
                limits: session.limits,
                hasBonded: session.pairing.hasBonded
            )
            let report = try await procedure.pair(advertisedName: found.name)
            try console.print(options.json ? report.json.timed().compact : report.text)
        }
    }

    /// Checks that no option sets how to pair, because the Bluetooth daemon decides that.
    private func requireDefaults() throws(ProgramFailure) {
        guard oob == nil, makeOob == nil, !again else { throw PairingOptions.ofDaemon }
        try pairing.requireDefaults()
    }

    private static let noStoreNotice =
        "lanyard: without a store, the bond is lost when this command ends\n"

    /// Writes the data for the accessory, and waits until a person confirms that the accessory has
    /// it.
    private func handOver(
        in path: String,
        _ questions: QuestionQueue?,
        on console: Console
    ) async throws -> Pairing.LocalOutOfBandData {
        guard let questions else {
            throw ProgramFailure.usage(
                "--make-oob needs a person who hands over the file",
                advice: PairingText.howToAnswer
            )
        }
        var generator = SystemRandomNumberGenerator()
        guard
            let local = Pairing.LocalOutOfBandData.make(
                forLegacyPairing: pairing.legacy,
                using: &generator
            )
        else { throw ProgramFailure(.internalError, "a private key could not be generated") }
        try OutOfBandFile.write(local.data, to: path)
        let question = PairingText.handedOver(TerminalText.escape(path))
        let isThere = await questions.ask(question, hint: PairingText.yesOrNo, PairingText.readYes)
        guard isThere == true else {
            try Task.checkCancellation()
            throw ProgramFailure(
                .refused,
                "the file was not handed over",
                advice: "answer y when the peer has it"
            )
        }
        return local
    }
}
