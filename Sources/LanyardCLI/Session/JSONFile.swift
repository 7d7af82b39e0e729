// SPDX-License-Identifier: Apache-2.0

import HCITransports
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
        guard let text = TerminalText.text(utf8: try bytes(of: path)) else {
            throw invalidText(path)
        }
        do throws(Failure) {
            return try parse(text)
        } catch {
            throw wrong(path, error)
        }
    }

    /// Returns the bytes of the file or pipe.
    func bytes(of path: String, limit: Int = lengthLimit) throws(ProgramFailure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(TransportError) {
            bytes = try WholeFile.read(path, limit: limit)
        } catch {
            throw .unreadable(subject, path, because: error.fileReason)
        }
        guard let bytes else { throw invalidText(path) }
        return bytes
    }
}

// The messages about a file with a fault.
extension JSONFile {
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

extension ProgramFailure {
    /// Returns the failure for a file that cannot be read.
    static func unreadable(
        _ subject: String,
        _ path: String,
        because reason: String
    ) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "the \(subject) \(TerminalText.escape(path)) cannot be read: "
                + TerminalText.escape(reason),
            advice: "check the path"
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
