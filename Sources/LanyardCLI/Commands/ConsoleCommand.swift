// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import VirtualAdapters

/// A command that prints on a given console, so that tests can read its output.
protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Runs the command. Throws `ProgramFailure`.
    func run(on console: Console) async throws
}

extension ConsoleCommand {
    func run() async throws {
        try await run(on: .standard)
    }
}

/// One run of the program, from its arguments to its exit code.
enum ProgramRun {
    /// Parses the arguments, runs the command, and reports how it ended.
    static func run(_ arguments: [String], on console: Console) async -> ProcessStatus {
        do {
            try checkNames(in: arguments)
            let command = try LanyardCommand.parseAsRoot(arguments)
            guard let command = command as? any ConsoleCommand else {
                var command = command
                try command.run()
                return .success
            }
            try await command.run(on: console)
            return .success
        } catch {
            return report(error, of: arguments, on: console)
        }
    }

    /// Checks the name of the command, also after `help`.
    private static func checkNames(in arguments: [String]) throws(ProgramFailure) {
        let isHelp = arguments.first == "help"
        guard let name = isHelp ? arguments.dropFirst().first : arguments.first else { return }
        let shown = TerminalText.escape(String(name.prefix(shownLimit)))
        guard !name.hasPrefix("-") else {
            let command = arguments.first { commandNames.contains($0) }
            // The shells ask for completions with `---completion`.
            guard let command, !ownOptions.contains(name), !name.hasPrefix("---") else { return }
            throw .usage(
                "'\(shown)' is before the command",
                advice: "options follow it: 'lanyard \(command) \(shown)'"
            )
        }
        let names = commandNames + ["help"]
        guard !names.contains(name) else { return }
        if ShellVocabulary.entry(name) != nil, !names.contains(name.lowercased()) {
            throw .usage("'\(shown)' is a command of the shell", advice: "use 'lanyard shell'")
        }
        throw .usage(
            "'\(shown)' is not a command",
            advice: ProgramFailure.didYouMean(
                name,
                among: names,
                otherwise: "'lanyard help' lists the commands"
            )
        )
    }

    /// The options that need no command.
    private static let ownOptions = ["-h", "--help", "--version"]
    /// The maximum number of characters of an invalid name that the error repeats.
    private static let shownLimit = 60

    private static var commandNames: [String] {
        LanyardCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    private static func report(
        _ error: any Error,
        of arguments: [String],
        on console: Console
    ) -> ProcessStatus {
        if LanyardCommand.exitCode(for: error) == .success {
            try? console.print(LanyardCommand.fullMessage(for: error))
            return .success
        }
        let failure = failure(error, of: arguments)
        if failure.status != .outputClosed {
            let isJSON = arguments.contains("--json")
            console.remark((isJSON ? failure.json.compact : failure.line) + "\n")
        }
        return failure.status
    }

    private static func failure(_ error: any Error, of arguments: [String]) -> ProgramFailure {
        if let failure = error as? ProgramFailure { return failure }
        guard LanyardCommand.exitCode(for: error) == .validationFailure else {
            return ProgramFailure(error, during: "running the command")
        }
        let command = arguments.first { commandNames.contains($0) }.map { " " + $0 } ?? ""
        let message = LanyardCommand.message(for: error)
        let adapter = arguments.first { argument in
            message.hasPrefix("Unexpected argument '\(argument)'")
                && (try? AdapterChoice(argument)) != nil
        }
        return .usage(
            message: message,
            advice: adapter.map { "did you mean '--adapter \($0)'?" }
                ?? "see 'lanyard\(command) --help'"
        )
    }
}

extension ProgramFailure {
    /// Returns the failure for a message of the parser of arguments.
    static func usage(message: String, advice: String) -> ProgramFailure {
        let line = message.split(separator: "\n").first ?? "wrong usage"
        let text = TerminalText.escape(String(line))
        return .usage(text.hasSuffix(".") ? String(text.dropLast()) : text, advice: advice)
    }
}
