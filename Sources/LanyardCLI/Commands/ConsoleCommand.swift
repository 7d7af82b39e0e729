// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import VirtualAdapters

/// A command that prints on a given console, so that tests can read its output.
protocol ConsoleCommand: AsyncParsableCommand, Sendable {
    /// Runs the command.
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

    /// Checks the first argument: the name of the command, which may follow `help`, or an option.
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
                among: names + ["--version"],
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
            do {
                try console.print(LanyardCommand.fullMessage(for: error))
                return .success
            } catch {
                return report(error, of: arguments, on: console)
            }
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
        let message = LanyardCommand.message(for: error)
        let path = commandPath(in: arguments)
        var advice = "see 'lanyard\(path.names.map { " " + $0 }.joined()) --help'"
        let isUnexpected = message.lowercased().contains("unexpected argument")
        let unexpected = isUnexpected ? arguments.first { message.contains("'\($0)'") } : nil
        if let unexpected {
            if (try? AdapterChoice(unexpected)) != nil {
                advice = "did you mean '--adapter \(unexpected)'?"
            } else {
                advice = ProgramFailure.didYouMean(
                    unexpected,
                    among: path.subcommands,
                    otherwise: advice
                )
            }
        }
        return .usage(message: message, of: path.type, advice: advice)
    }

    /// Returns the names of the command and its subcommand, its type, and the subcommands that
    /// could follow.
    private static func commandPath(
        in arguments: [String]
    ) -> (names: [String], type: any ParsableCommand.Type, subcommands: [String]) {
        var names: [String] = []
        var type: any ParsableCommand.Type = LanyardCommand.self
        var commands = LanyardCommand.configuration.subcommands
        for argument in arguments {
            guard let next = commands.first(where: { $0.configuration.commandName == argument })
            else { continue }
            names.append(argument)
            type = next
            commands = next.configuration.subcommands
        }
        return (names, type, commands.compactMap { $0.configuration.commandName })
    }
}

extension ProgramFailure {
    /// Returns the failure for a message of the argument parser.
    ///
    /// The parser also suggests options that have little in common with an unknown option, so its
    /// suggestion is not used.
    ///
    /// - Parameter arguments: The type that the parser parsed.
    static func usage(
        message: String,
        of arguments: any ParsableArguments.Type,
        advice: String
    ) -> ProgramFailure {
        var line = message.split(separator: "\n").first ?? "wrong usage"
        var advice = advice
        if line.hasPrefix("Unknown option '--") {
            if let range = line.range(of: ". Did you mean ") { line = line[..<range.lowerBound] }
            let option = line.split(separator: "'").dropFirst().first ?? ""
            if let nearest = nearestOption(to: option, of: arguments) {
                advice = "did you mean '\(nearest)'?"
            }
        }
        let text = TerminalText.escape(String(line))
        return .usage(text.hasSuffix(".") ? String(text.dropLast()) : text, advice: advice)
    }

    /// Returns the most similar option; `nil` if none is similar. An option is also similar if one
    /// of its words begins with the text.
    private static func nearestOption(
        to text: Substring,
        of arguments: any ParsableArguments.Type
    ) -> String? {
        let help = arguments.helpMessage(includeHidden: false, columns: nil)
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
            line.split { " ,".contains($0) }.prefix { $0.hasPrefix("-") }
                .filter { $0.hasPrefix("--") }
        }
        let nearest = Suggestion.nearest(to: words(of: text), among: options.map(words))
        return options.first { words(of: $0) == nearest }.map(String.init)
    }

    /// Returns the words of an option with spaces between them: `minimum rssi`.
    private static func words(of option: Substring) -> String {
        option.split(separator: "-").joined(separator: " ")
    }
}
