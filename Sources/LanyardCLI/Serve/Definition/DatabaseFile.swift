// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONReading

/// A database file on disk.
enum DatabaseFile {
    /// How long a file may be, in octets.
    static let lengthLimit = 4 << 20

    private static let advice = "docs/SERVING.md says what may be in it"

    /// Reads the file; throws `ProgramFailure`.
    static func read(_ path: String) throws(ProgramFailure) -> ServedAccessory {
        let name = TerminalText.escape(path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ProgramFailure(
                .inputOutput,
                "the database \(name) cannot be read",
                advice: "check the path"
            )
        }
        guard data.count <= lengthLimit, let text = TerminalText.text(utf8: data) else {
            throw ProgramFailure(
                .badData,
                "the database \(name) is too long, or no UTF-8",
                advice: "give a JSON file; " + advice
            )
        }
        do throws(JSONError) {
            return try ServedAccessory(parsing: text)
        } catch {
            throw ProgramFailure(
                .badData,
                "the database \(name) is wrong\(TerminalText.escape(error.placed))",
                advice: advice
            )
        }
    }
}

extension JSONError {
    /// What is wrong, and where, unless it is the whole of it: goes on from "is wrong".
    fileprivate var placed: String {
        place.isEmpty ? ": \(complaint)" : " at \(place): \(complaint)"
    }
}
