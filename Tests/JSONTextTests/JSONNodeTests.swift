// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import JSONText

@Suite("JSON nodes")
struct JSONNodeTests {
    private func problem(
        _ text: String,
        _ read: (JSONNode) throws(JSONError) -> Void
    ) throws -> String {
        let node = try JSONNode(parsing: text)
        return try #require(throws: JSONError.self) { try read(node) }.description
    }

    @Test("An error names the path to the wrong value")
    func places() throws {
        let text = #"{"a": [{"b": 1}, {"b": "x"}]}"#
        let message = try problem(text) { (node) throws(JSONError) in
            for element in try node.members("a").require("a").elements(limit: 2) {
                _ = try element.members("b").require("b").number(in: 0...1)
            }
        }
        #expect(message == "a[1].b: a number from 0 to 1 should be here")
    }

    @Test("Unknown keys and missing keys are errors")
    func keys() throws {
        let unknown = try problem(#"{"a": {"c": 1}}"#) { (node) throws(JSONError) in
            _ = try node.members("a").require("a").members("x", "y")
        }
        #expect(unknown == #"a: the key "c" is not known; there are x, y"#)
        let missing = try problem("{}") { (node) throws(JSONError) in
            _ = try node.members("a").require("a")
        }
        #expect(missing == #"the key "a" is missing"#)
    }

    @Test("A fraction is refused where a whole number is required")
    func wholeNumbers() throws {
        #expect(try JSONNode(parsing: "2.0").wholeNumber(in: 0...2) == 2)
        let message = try problem("1.5") { (node) throws(JSONError) in
            _ = try node.wholeNumber(in: 0...2)
        }
        #expect(message == "a whole number should be here")
    }

    @Test("A list beyond the limit is refused")
    func lists() throws {
        let message = try problem("[1, 2, 3]") { (node) throws(JSONError) in
            _ = try node.elements(limit: 2)
        }
        #expect(message == "at most 2 may be here")
    }

    @Test("A syntax error names its line and column")
    func texts() throws {
        let error = try #require(throws: JSONError.self) { try JSONNode(parsing: "[\n 1,\n]") }
        #expect(error.place == "line 3, column 1")
    }
}
