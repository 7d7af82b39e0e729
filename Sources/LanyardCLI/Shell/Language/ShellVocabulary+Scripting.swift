// SPDX-License-Identifier: Apache-2.0

// The commands of scripts.
extension ShellVocabulary {
    static let scripting = [
        Entry(
            name: "wait",
            arguments: "EVENT [within SECONDS]",
            summary: "Wait for a time or an event.",
            details: """
                The events are SECONDS, notification [CHARACTERISTIC] [EXPECTATION], disconnected,
                and device TARGET, which waits until the device advertises.
                """,
            kinds: [.waiting]
        ) { arguments throws(ProgramFailure) in
            var words = arguments.takeAll()
            let limit = try WaitCondition.takeLimit(from: &words)
            return .wait(try WaitCondition(words), within: limit)
        },
        Entry(
            name: "expect",
            arguments: "[not] EXPECTATION",
            summary: "Fail unless the last result is as expected.",
            details: """
                An expectation is equals VALUE, contains TEXT, matches PATTERN, or
                [TYPE] between LOW HIGH, for the number in the bytes or in the text.
                """,
            kinds: [.expectation]
        ) { arguments throws(ProgramFailure) in
            .expect(try ScriptExpectation(arguments.takeAll()))
        },
        Entry(
            name: "fails",
            arguments: "COMMAND…",
            summary: "Fail unless the command fails. Its error is then the last result.",
            kinds: [.command]
        ) { arguments throws(ProgramFailure) in
            let words = Array(arguments.takeAll())
            guard words.first != nil, case .perform(let operation) = try ShellStatement(words)
            else { throw .usage("'fails' needs a command", advice: arguments.advice) }
            return .fails(operation)
        },
        Entry(
            name: "set",
            arguments: "NAME VALUE",
            summary: "Set a variable.",
            kinds: [.variable, .other]
        ) { arguments throws(ProgramFailure) in
            let name = try arguments.take()
            guard ShellWords.isName(name), !ScriptInterpreter.resultVariables.contains(name) else {
                let shown = TerminalText.escape(String(name.prefix(60)))
                throw .usage(
                    "'\(shown)' cannot be the name of a variable",
                    advice: "use letters, digits and _, and not value, meaning or output"
                )
            }
            let first = try arguments.take()
            let words = [first] + arguments.takeAll()
            return .set(name, words.joined(separator: " "))
        },
        Entry(
            name: "timeout",
            arguments: "SECONDS|off",
            summary: "Limit the time of each later line.",
            kinds: []
        ) { arguments throws(ProgramFailure) in
            .timeout(try limit(&arguments))
        },
        Entry(
            name: "limit",
            arguments: "SECONDS|off",
            summary: "Limit the time of the whole script, from its start.",
            kinds: []
        ) { arguments throws(ProgramFailure) in
            .limit(try limit(&arguments))
        },
        Entry(
            name: "echo",
            arguments: "[TEXT]",
            summary: "Print a text.",
            kinds: []
        ) { arguments throws(ProgramFailure) in
            .perform(.echo(arguments.takeAll().joined(separator: " ")))
        },
        Entry(
            name: "help",
            arguments: "[COMMAND]",
            summary: "Print the commands, or the arguments of one.",
            kinds: [.command]
        ) { arguments throws(ProgramFailure) in
            let name = arguments.takeOptional()
            _ = try help(name)
            return .perform(.help(name))
        },
        Entry(
            name: "quit",
            arguments: "",
            summary: "End the shell. Ctrl-D does the same.",
            kinds: []
        ) { _ in .quit },
    ]

    private static func limit(_ arguments: inout ShellArguments) throws(ProgramFailure) -> Duration?
    {
        let text = try arguments.take()
        return text == "off" ? nil : try WaitCondition.seconds(text)
    }
}
