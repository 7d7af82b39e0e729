// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The transition table in the documentation equals that of the code.
struct LifecycleDocumentTests {
    private static let begin = "<!-- transitions: begin -->\n"
    private static let end = "<!-- transitions: end -->"

    /// Returns the URL of the document, in the nearest parent folder of this file that contains it.
    private static func document() throws -> URL {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        for _ in 1...6 {
            let document = folder.appending(path: "docs/LIFECYCLE.md")
            if FileManager.default.fileExists(atPath: document.path) { return document }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Run this test with `UPDATE_DOCS=1` in the environment to update the document.
    @Test("The table in docs/LIFECYCLE.md equals the machine's transitions")
    func transitions() throws {
        let url = try Self.document()
        let text = try String(contentsOf: url, encoding: .utf8)
        let first = try #require(text.range(of: Self.begin))
        let last = try #require(text.range(of: Self.end))
        let table = TransitionTable.markdown
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
            let updated = text.replacingCharacters(
                in: first.upperBound..<last.lowerBound,
                with: table
            )
            try updated.write(to: url, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[first.upperBound..<last.lowerBound] == table)
    }
}
