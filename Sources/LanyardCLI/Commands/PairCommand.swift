// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost

struct PairCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Agrees on keys with an accessory, for this and later links.",
        discussion: """
            Says by which method, asks what there is to ask, and prints what has come of it. Whatever \
            is not a plain yes is a no. Where neither side can show or enter digits, nothing is \
            asked, and nothing protects from somebody in between; --mitm refuses that. The other \
            commands use the keys from then on. docs/PAIRING.md says what each method protects from.
            """
    )

    @Argument(help: Lanyard.targetHelp) var target: String
    @OptionGroup var pairing: PairingOptions

    @Option(
        help: ArgumentHelp(
            "Pair by what the accessory has told in another way; see docs/PAIRING.md.",
            valueName: "file"
        )
    )
    var oob: String?

    @Option(
        help: ArgumentHelp(
            "Write what the accessory is to be told in another way, and wait until it is.",
            valueName: "file"
        )
    )
    var makeOob: String?

    @Flag(help: "Pair anew, without a question, if the accessory has lost its keys.")
    var again = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try Target(target)
        let desk = pairing.desk(at: console)
        var policy = try pairing.policy(
            hasSomebody: desk != nil,
            hasOutOfBandData: oob != nil || makeOob != nil
        )
        policy.peerOutOfBandData = try oob.map(OutOfBandFile.read)
        let dialogue = pairing.dialogue(desk, at: console)
        var session = try options.session(on: console)
        if session.store == .none, !pairing.noBond { console.remark(Self.oblivion) }
        let input = desk.map { desk in Task { await desk.run(on: console.lines()) } }
        defer { input?.cancel() }
        if let makeOob {
            policy.localOutOfBandData = try await handOver(in: makeOob, desk, on: console)
        }
        session.pairing = PairingSetup(
            policy: policy,
            delegate: TerminalDelegate(dialogue: dialogue),
            bondLossPolicy: again ? .pairOnce : .ask,
            isTalking: { dialogue.hasBegun }
        )
        try await session.withLink(to: target) { [policy, session] link, found in
            let visit = PairingVisit(
                link: link,
                policy: policy,
                dialogue: dialogue,
                limits: session.limits,
                hasBonded: session.pairing.hasBonded
            )
            let report = try await visit.pair(advertisedName: found.name)
            try console.print(options.json ? report.json.compact : report.text)
        }
    }

    private static let oblivion =
        "lanyard: the bond ends with this command: there is no store to keep it in\n"

    /// Writes what the accessory is to be told, and waits until somebody says that it knows.
    private func handOver(
        in path: String,
        _ desk: AnswerDesk?,
        on console: Console
    ) async throws -> Pairing.LocalOutOfBandData {
        guard let desk else {
            throw ProgramFailure.usage(
                "--make-oob waits until somebody has handed over the file",
                advice: PairingText.howToAnswer
            )
        }
        var generator = SystemRandomNumberGenerator()
        guard
            let local = Pairing.LocalOutOfBandData.make(
                forLegacyPairing: pairing.legacy,
                using: &generator
            )
        else { throw ProgramFailure(.internalError, "no private key can be made") }
        try OutOfBandFile.write(local.data, to: path)
        let question = PairingText.handedOver(TerminalText.escape(path))
        let isThere = await desk.ask(question, hint: PairingText.yesOrNo, PairingText.readYes)
        guard isThere == true else {
            try Task.checkCancellation()
            throw ProgramFailure(.refused, "nothing was handed over")
        }
        return local
    }
}
