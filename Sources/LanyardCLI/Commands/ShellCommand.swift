// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothTypes
import Foundation
import HCITransports
import Synchronization
import VirtualAdapters

struct ShellCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Type commands that share one adapter and one link.",
        discussion: """
            At a terminal, the prompt shows the adapter, the connected device and the protection of \
            the link. Tab completes commands, names, UUIDs and attributes, and the arrow keys show \
            earlier lines. Ctrl-C cancels the running command, and Ctrl-D ends the shell. The help \
            command lists the commands.

            If standard input is not a terminal, its lines are a script as for 'lanyard run'. \
            docs/SHELL.md is the guide.
            """
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String?

    @Flag(help: "In a script, continue after a failed line.")
    var keepGoing = false

    @Flag(help: "Do not read or keep the history of typed lines.")
    var noHistory = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let target = try target.map { try Target($0) }
        if console.isInputTerminal, console.isOutputTerminal, console.hasControls {
            try await runInteractively(target, on: console)
        } else {
            try await runScript(target, on: console)
        }
    }

    // MARK: At a terminal

    private func runInteractively(_ target: Target?, on console: Console) async throws {
        let history =
            noHistory ? nil : ShellHistory(environment: ProcessInfo.processInfo.environment)
        let terminal = LineTerminal(
            console: console,
            history: history?.read() ?? LineHistory()
        )
        let setup = try ShellSetup(options, at: terminal)
        try await setup.adapter.withCentral { central in
            let session = setup.session(on: central)
            terminal.open()
            defer {
                session.end()
                terminal.close()
            }
            let interpreter = try ScriptInterpreter(start: central.currentTime)
            terminal.onComplete { before in
                await session.complete(before, variables: ScriptInterpreter.resultVariables)
            }
            greet(on: setup.adapter.adapter, console)
            try await FirstResult.of([
                { @Sendable in
                    await terminal.run()
                    await EndOfInput.never()
                },
                { @Sendable in
                    var runner = ShellRunner(
                        session: session,
                        printer: setup.printer,
                        script: nil,
                        interpreter: interpreter,
                        now: { central.currentTime }
                    )
                    if let target { await runner.connect(to: target, at: terminal) }
                    try await runner.run(at: terminal, history)
                },
            ])
        }
    }

    private func greet(on adapter: AdapterChoice, _ console: Console) {
        let version = LanyardCommand.configuration.version
        console.remark("lanyard \(version) on \(adapter). Type help for the commands.\n")
    }

    // MARK: A script

    private func runScript(_ target: Target?, on console: Console) async throws {
        let setup = try ShellSetup(options, on: console)
        let lines = console.lines().texts
        if console.isInputTerminal { greet(on: setup.adapter.adapter, console) }
        try await setup.adapter.withCentral { central in
            let session = setup.session(on: central)
            defer { session.end() }
            var runner = ShellRunner(
                session: session,
                printer: setup.printer,
                script: "standard input",
                interpreter: try ScriptInterpreter(start: central.currentTime),
                now: { central.currentTime }
            )
            if let target {
                let output = try await session.perform(.connect(target), line: 0)
                try setup.printer.report(output, of: "connect", line: 0)
            }
            // A person at a terminal without an editor corrects a line and continues.
            try await runner.run(lines, keepsGoing: keepGoing || console.isInputTerminal)
        }
    }
}
