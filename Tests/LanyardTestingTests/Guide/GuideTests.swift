// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("docs/TESTING.md")
struct GuideTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let guide = folder.appending(path: "../../../docs/TESTING.md")

    /// Returns the text between the markers of a file in the guide.
    private static func quotation(of file: String) throws -> String {
        let text = try String(contentsOf: guide, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- begin \(file) -->\n"))
        let rest = text[begin.upperBound...]
        return String(rest[..<(try #require(rest.range(of: "<!-- end -->")).lowerBound)])
    }

    @Test(
        "The guide quotes the tested example",
        arguments: ["PulseModel.swift", "PulseModelTests.swift"]
    )
    func example(file: String) throws {
        let source = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        // Without the line about the license.
        let code = source.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        let expected = "\n```swift\n" + code.joined(separator: "\n") + "```\n\n"
        #expect(try Self.quotation(of: file) == expected)
    }
}
