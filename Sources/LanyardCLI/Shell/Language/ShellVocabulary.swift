// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT

/// The commands of the shell: their names, their help, their completion and their parsers.
enum ShellVocabulary {
    /// The kind of an argument, for completion.
    enum Argument: Equatable, Sendable {
        case command, target, service, uuid, physicalLayer, expectation, waiting
        case pairingOption, variable, other
        /// A characteristic with at least one of these properties.
        case characteristic(GATT.CharacteristicProperties)

        static let subscribable = Argument.characteristic([.notify, .indicate])
    }

    /// A command.
    struct Entry: Sendable {
        let name: String
        /// The arguments, as the help shows them.
        let arguments: String
        /// The effect of the command.
        let summary: String
        /// More lines for the help on this command.
        var details = ""
        /// The kinds of the arguments. The last one repeats.
        let kinds: [Argument]
        let parse: @Sendable (inout ShellArguments) throws(ProgramFailure) -> ShellStatement

        /// The form of the command: its name and its arguments.
        var usage: String { arguments.isEmpty ? name : "\(name) \(arguments)" }
    }

    /// Returns the command with this name; `nil` if there is none.
    static func entry(_ name: String) -> Entry? {
        let name = name.lowercased()
        let wanted = synonyms[name] ?? name
        return entries.first { $0.name == wanted }
    }

    /// Other names of commands.
    static let synonyms = ["exit": "quit", "sleep": "wait", "?": "help"]

    static func unknown(_ name: String) -> ProgramFailure {
        let shown = TerminalText.escape(String(name.prefix(60)))
        return .usage(
            "'\(shown)' is not a command",
            advice: ProgramFailure.didYouMean(
                name,
                among: entries.map(\.name),
                otherwise: "'help' lists the commands"
            )
        )
    }

    /// Returns the help on all commands, or on one.
    static func help(_ name: String?) throws(ProgramFailure) -> String {
        guard let name else {
            let width = (entries.map(\.usage.count).filter { $0 <= columnLimit }.max() ?? 0) + 2
            let lines = entries.map { entry in
                entry.usage.count <= columnLimit
                    ? TerminalColumns.fit(entry.usage, to: width) + entry.summary
                    : entry.usage + "\n" + String(repeating: " ", count: width) + entry.summary
            }
            return (lines + ["", notes]).joined(separator: "\n")
        }
        guard let entry = entry(name) else { throw unknown(name) }
        return [entry.usage, entry.summary, entry.details].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// The maximum width in columns of a form that shares a line with its summary.
    private static let columnLimit = 34

    private static let notes = """
        A TARGET, a CHARACTERISTIC and a VALUE have the forms of the other commands of lanyard.
        $NAME is a variable; $value, $meaning and $output are those of the last result.
        Ctrl-C cancels the running command.
        """
}
