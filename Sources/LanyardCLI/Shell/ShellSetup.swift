// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization

/// The parts of a shell that exist before its host.
struct ShellSetup: Sendable {
    let adapter: AdapterSession
    let printer: ShellPrinter
    let console: Console
    let dialogue: PairingDialogue
    let questions: QuestionQueue
    /// The terminal of a person; `nil` for a script.
    let terminal: LineTerminal?

    /// Creates the parts for lines that a person types at the terminal.
    init(_ options: AdapterOptions, at terminal: LineTerminal) throws {
        let console = terminal.commandConsole
        let questions = QuestionQueue(
            unasked: .discarded,
            say: { terminal.say($0) },
            forgetTyped: { _ in terminal.forgetTyped() },
            hasPerson: true,
            lineStart: ""
        )
        terminal.onAnswer { questions.receive($0) }
        try self.init(options, on: console, questions, terminal)
    }

    /// Creates the parts for the lines of a script. Only `answer` answers questions.
    init(_ options: AdapterOptions, on console: Console, worksOnDaemon: Bool = true) throws {
        let questions = QuestionQueue(unasked: .queued, say: console.remark)
        questions.end()
        try self.init(options, on: console, questions, nil, worksOnDaemon: worksOnDaemon)
    }

    private init(
        _ options: AdapterOptions,
        on console: Console,
        _ questions: QuestionQueue,
        _ terminal: LineTerminal?,
        worksOnDaemon: Bool = true
    ) throws {
        let dialogue = PairingDialogue(questions: questions) { text in
            ProgressLine(console: console).clear()
            console.remark(text)
        }
        var adapter = try options.session(on: console, worksOnDaemon: worksOnDaemon)
        adapter.onAir = dialogue.watch
        adapter.namesDevice = true
        adapter.pairing = PairingSetup(
            delegate: TerminalDelegate(dialogue: dialogue),
            bondLossPolicy: .ask,
            securesOnDemand: false,
            hasStartedDialogue: { dialogue.hasBegun },
            hasDeclined: { dialogue.hasDeclined }
        )
        self.adapter = adapter
        self.console = console
        self.dialogue = dialogue
        self.questions = questions
        self.terminal = terminal
        printer = ShellPrinter(console: console, isJSON: options.json)
    }

    /// Returns the session on the adapter.
    ///
    /// - Parameter printer: The printer of the session's events; `nil` for that of the setup.
    func session(on central: any CentralAdapter, printer: ShellPrinter? = nil) -> ShellSession {
        var environment = ShellSession.Environment(
            central: central,
            adapter: adapter,
            printer: printer ?? self.printer,
            console: console,
            dialogue: dialogue,
            answers: terminal == nil ? questions : nil,
            isInteractive: terminal != nil
        )
        if let terminal { environment.promptChanged = { terminal.change(prompt: $0) } }
        return ShellSession(environment)
    }
}

extension ShellSession {
    /// The time in which completion looks for devices, or for characteristics.
    private static let completionTime = Duration.seconds(1)

    /// Completes a line.
    func complete(_ before: String, variables: [String]) async -> LineCompletion {
        switch ShellCompletion.need(of: before) {
        case .devices: await learnNames(within: Self.completionTime)
        case .characteristics: await learnCharacteristics(within: Self.completionTime)
        case nil: break
        }
        let bonds = await central.accessoryBonds().compactMap(\.name).map {
            TerminalText.escape($0)
        }
        let completion = state.withLock { state in
            ShellCompletion(
                devices: Array(state.names.union(bonds)),
                characteristics: state.characteristics,
                variables: variables
            )
        }
        return completion.complete(before)
    }

    /// Discovers the characteristics of the connected device, if they are not known yet.
    private func learnCharacteristics(within limit: Duration) async {
        let connection = state.withLock { $0.characteristics.isEmpty ? $0.connection : nil }
        guard let connection else { return }
        let found = try? await TimeLimit.run(limit) {
            try await connection.link.discoverCharacteristics(uuid: nil)
        }
        guard let found = found ?? nil else { return }
        change { state in
            if state.connection?.number == connection.number { state.characteristics = found }
        }
    }
}
