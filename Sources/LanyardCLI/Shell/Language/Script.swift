// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// A file with lines of the shell.
struct Script: Equatable, Sendable {
    /// A line with its number, which begins at 1.
    struct Line: Equatable, Sendable {
        let number: Int
        let text: String
    }

    /// The maximum length of a file in bytes.
    static let lengthLimit = 1 << 20
    /// The maximum number of lines.
    static let lineLimit = 10_000

    /// The name of the file, for messages. Safe to print.
    let name: String
    let lines: [Line]

    /// Reads a file.
    static func read(_ path: String) throws(ProgramFailure) -> Script {
        let bytes: [UInt8]?
        do throws(TransportError) {
            bytes = try WholeFile.read(path, limit: lengthLimit)
        } catch {
            throw .unreadable("script", path, because: error.fileReason)
        }
        let name = TerminalText.escape(path)
        guard let bytes, let text = TerminalText.text(utf8: bytes) else {
            throw ProgramFailure(
                .badData,
                "the script \(name) has more than \(lengthLimit) bytes, or is not UTF-8",
                advice: "give a text file; docs/SHELL.md describes the format"
            )
        }
        return try Script(text, name: name)
    }

    /// Splits a text into lines.
    init(_ text: String, name: String) throws(ProgramFailure) {
        self.name = name
        let parts = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard parts.count <= Self.lineLimit + 1 else {
            throw ProgramFailure(
                .badData,
                "\(name) has more than \(Self.lineLimit) lines",
                advice: "split the script"
            )
        }
        lines = parts.enumerated().map { Line(number: $0.offset + 1, text: String($0.element)) }
    }

    /// Checks every line before any of them runs. Throws the first fault.
    ///
    /// Of a line with variables, only the quotation, the variables and the command are checked.
    ///
    /// - Parameter variables: The names of the variables that are set at the start.
    func check(variables: some Sequence<String>) throws(ProgramFailure) {
        var known = Set(variables).union(ScriptInterpreter.resultVariables)
        for line in lines {
            do throws(ProgramFailure) {
                let words = try ShellWords(line.text)
                for variable in words.variables where !known.contains(variable) {
                    let values = Dictionary(uniqueKeysWithValues: known.map { ($0, "") })
                    throw ProgramFailure.noVariable(variable, among: values)
                }
                if let name = try ShellStatement.check(words) { known.insert(name) }
            } catch {
                throw error.at(name, line: line.number, status: .badData)
            }
        }
    }
}

extension ProgramFailure {
    /// Returns the same failure with its place in a script.
    func at(_ script: String, line: Int, status: ProcessStatus? = nil) -> ProgramFailure {
        ProgramFailure(
            status ?? self.status,
            "\(script):\(line): \(happened)",
            advice: advice
        )
    }
}
