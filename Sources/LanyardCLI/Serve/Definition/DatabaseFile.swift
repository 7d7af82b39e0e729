// SPDX-License-Identifier: Apache-2.0

import JSONReading

/// A database file on disk.
enum DatabaseFile {
    private static let file = WrittenFile(subject: "database", manual: "docs/SERVING.md")

    /// Reads the file; throws `ProgramFailure`.
    static func read(_ path: String) throws(ProgramFailure) -> ServedAccessory {
        try file.read(path) { text throws(JSONError) in try ServedAccessory(parsing: text) }
    }
}
