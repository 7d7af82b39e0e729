// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// The file with the lines that were typed in the shell. Only its owner can read it.
struct ShellHistory: Sendable {
    /// The maximum length of a file in bytes.
    static let lengthLimit = LineHistory.lineLimit * (LineEditor.lengthLimit + 1)

    let path: String

    /// Creates the history in the state directory of the user; `nil` if the environment has no
    /// place for it.
    init?(environment: [String: String]) {
        guard
            let path = FileStore.defaultDirectory(for: "shell-history", environment: environment)
        else { return nil }
        self.path = path
    }

    init(path: String) {
        self.path = path
    }

    /// Returns the lines. A file that cannot be read counts as empty.
    func read() -> LineHistory {
        guard let bytes = try? WholeFile.read(path, limit: Self.lengthLimit) else {
            return LineHistory()
        }
        return LineHistory(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// Adds a line to the file, to which other shells may have added lines. The shell works without
    /// the file, so a failure is ignored.
    func add(_ line: String) {
        var history = read()
        let before = history
        history.add(line)
        guard history != before else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try? SecretFile(path, of: "the history").replace(with: history.text)
    }
}
