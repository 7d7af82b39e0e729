// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothTypes

struct RunCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a script of shell commands, such as an acceptance test.",
        discussion: """
            Each line is a command of 'lanyard shell'. The whole script is checked before its first \
            line runs, and ends at the first line that fails: with exit code 1 if a result is not \
            as expected, and otherwise with the exit code of the failed command. docs/SHELL.md \
            describes the language.
            """
    )

    @Argument(
        help: ArgumentHelp("The script.", valueName: "file"),
        completion: .file(extensions: ["lanyard"])
    )
    var path: String

    @Option(
        help: ArgumentHelp("Set a variable. Repeat for several.", valueName: "name=value")
    )
    var set: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit of the whole script.", valueName: "seconds")
    )
    var limit: String?

    @Flag(help: "Continue after a failed line. The exit code is that of the first failure.")
    var keepGoing = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let script = try Script.read(path)
        let variables = try variables
        try script.check(variables: variables.keys)
        let limit = try limit.map { try WaitCondition.seconds($0) }
        let setup = try ShellSetup(options, on: console)
        try await setup.adapter.withCentral { central in
            let start = central.currentTime
            let session = setup.session(on: central)
            defer { session.end() }
            var runner = ShellRunner(
                session: session,
                printer: setup.printer,
                script: script.name,
                interpreter: try ScriptInterpreter(
                    variables: variables,
                    start: start,
                    limit: limit
                ),
                now: { central.currentTime }
            )
            try await runner.run(script, keepsGoing: keepGoing)
            let end = ShellEvent.finished(
                script: script.name,
                steps: runner.steps,
                central.currentTime - start
            )
            try setup.printer.report(end)
        }
    }

    private var variables: [String: String] {
        get throws(ProgramFailure) {
            var variables: [String: String] = [:]
            for text in set {
                let parts = text.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard parts.count == 2, ShellWords.isName(parts[0]) else {
                    throw .usage(
                        "'\(TerminalText.escape(text))' is not a variable",
                        advice: "use --set NAME=VALUE"
                    )
                }
                variables[String(parts[0])] = String(parts[1])
            }
            return variables
        }
    }
}
