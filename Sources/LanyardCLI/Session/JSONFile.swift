// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import VirtualAdapters

/// A kind of JSON file that a person writes.
struct JSONFile {
    /// The maximum length of a file in bytes.
    static let lengthLimit = 4 << 20

    /// The contents of the file in a few words, for messages.
    let subject: String
    /// The document that describes the format.
    let manual: String

    /// Reads and parses the file.
    func read<Value, Failure: LocatedError>(
        _ path: String,
        as parse: (String) throws(Failure) -> Value
    ) throws(ProgramFailure) -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw unreadable(path)
        }
        guard data.count <= Self.lengthLimit, let text = TerminalText.text(utf8: data) else {
            throw invalidText(path)
        }
        do throws(Failure) {
            return try parse(text)
        } catch {
            throw wrong(path, error)
        }
    }
}

// The messages about a file with a fault.
extension JSONFile {
    func unreadable(_ path: String) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "the \(subject) \(TerminalText.escape(path)) cannot be read",
            advice: "check the path"
        )
    }

    func invalidText(_ path: String) -> ProgramFailure {
        ProgramFailure(
            .badData,
            "the \(subject) \(TerminalText.escape(path)) is too long, or not UTF-8",
            advice: "give a JSON file; \(manual) describes the format"
        )
    }

    func wrong(_ path: String, _ error: some LocatedError) -> ProgramFailure {
        let name = TerminalText.escape(path)
        return ProgramFailure(
            .badData,
            "the \(subject) \(name) is not valid\(TerminalText.escape(error.placed))",
            advice: "\(manual) describes the format"
        )
    }
}

/// A fault in a text, with its place.
protocol LocatedError: Error {
    /// The place; empty for the whole text.
    var place: String { get }
    /// The fault.
    var problem: String { get }
}

extension LocatedError {
    /// The place and the fault, as the end of a sentence after the words "is not valid".
    fileprivate var placed: String {
        place.isEmpty ? ": \(problem)" : " at \(place): \(problem)"
    }
}

extension JSONError: LocatedError {}
extension ScenarioError: LocatedError {}
