// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONReading
import VirtualAdapters

/// A JSON file that a person writes, of one kind.
struct WrittenFile {
    /// How long a file may be, in octets.
    static let lengthLimit = 4 << 20

    /// What such a file describes.
    let subject: String
    /// The document that says what may be in it.
    let manual: String

    /// Reads the file and what its text says; throws what is wrong, and where.
    func read<Value, Failure: PlacedError>(
        _ path: String,
        as parse: (String) throws(Failure) -> Value
    ) throws(ProgramFailure) -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw unreadable(path)
        }
        guard data.count <= Self.lengthLimit, let text = TerminalText.text(utf8: data) else {
            throw noText(path)
        }
        do throws(Failure) {
            return try parse(text)
        } catch {
            throw wrong(path, error)
        }
    }
}

// What a person is told of a file that is not as it should be.
extension WrittenFile {
    func unreadable(_ path: String) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "the \(subject) \(TerminalText.escape(path)) cannot be read",
            advice: "check the path"
        )
    }

    func noText(_ path: String) -> ProgramFailure {
        ProgramFailure(
            .badData,
            "the \(subject) \(TerminalText.escape(path)) is too long, or no UTF-8",
            advice: "give a JSON file; \(manual) says what may be in it"
        )
    }

    func wrong(_ path: String, _ error: some PlacedError) -> ProgramFailure {
        let name = TerminalText.escape(path)
        return ProgramFailure(
            .badData,
            "the \(subject) \(name) is wrong\(TerminalText.escape(error.placed))",
            advice: "\(manual) says what may be in it"
        )
    }
}

/// What is wrong with a text, and where in it.
protocol PlacedError: Error {
    /// Where; empty if it is the whole text.
    var place: String { get }
    /// What is wrong there.
    var complaint: String { get }
}

extension PlacedError {
    /// Goes on from "is wrong".
    fileprivate var placed: String {
        place.isEmpty ? ": \(complaint)" : " at \(place): \(complaint)"
    }
}

extension JSONError: PlacedError {}
extension ScenarioError: PlacedError {}
