// SPDX-License-Identifier: Apache-2.0

/// An error in a JSON text: its place and its description.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path to the wrong value, such as `devices[2].path[0].at`, or the line and the column if
    /// the text is not valid JSON.
    package let place: String
    /// A description of the error.
    package let problem: String

    package init(place: String, problem: String) {
        self.place = place
        self.problem = problem
    }

    /// The place and the problem in one line.
    package var description: String { place.isEmpty ? problem : "\(place): \(problem)" }
}

/// A value of a JSON text with the path to it, for error messages.
package struct JSONNode: Sendable {
    package let value: JSON
    package let place: String

    package init(value: JSON, place: String) {
        self.value = value
        self.place = place
    }

    /// Creates the node of the value that the text contains.
    package init(parsing text: String) throws(JSONError) {
        do throws(JSONTextError) {
            self.init(value: try JSON(parsing: text), place: "")
        } catch {
            let place = "line \(error.line), column \(error.column)"
            throw JSONError(place: place, problem: error.problem)
        }
    }

    package func error(_ problem: String) -> JSONError {
        JSONError(place: place, problem: problem)
    }

    // MARK: Typed access

    package var text: String {
        get throws(JSONError) {
            guard case .string(let text) = value else { throw error("a text should be here") }
            return text
        }
    }

    package var bool: Bool {
        get throws(JSONError) {
            guard case .bool(let flag) = value else {
                throw error("true or false should be here")
            }
            return flag
        }
    }

    /// Returns the number if it is in the range.
    package func number(in range: ClosedRange<Double>) throws(JSONError) -> Double {
        guard let number = value.double, range.contains(number) else {
            let bounds = "\(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
            throw error("a number from \(bounds) should be here")
        }
        return number
    }

    /// Returns the number if it is in the range and has no fraction.
    package func wholeNumber(in range: ClosedRange<Double>) throws(JSONError) -> Double {
        let number = try number(in: range)
        guard number.rounded() == number else { throw error("a whole number should be here") }
        return number
    }

    /// Returns the text of the number, without a decimal point if the number has no fraction.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }

    /// Returns the elements of a list that has at most `limit` elements.
    package func elements(limit: Int) throws(JSONError) -> [JSONNode] {
        guard case .array(let values) = value else { throw error("a list should be here") }
        guard values.count <= limit else { throw error("at most \(limit) may be here") }
        return values.enumerated().map { index, value in
            JSONNode(value: value, place: "\(place)[\(index)]")
        }
    }

    /// Returns the members of an object that has only these keys.
    package func members(_ known: String...) throws(JSONError) -> JSONMembers {
        try members(of: known)
    }

    /// Returns the members of an object that has only the keys in the list.
    package func members(of known: [String]) throws(JSONError) -> JSONMembers {
        guard case .object(let members) = value else { throw error("an object should be here") }
        for member in members where !known.contains(member.key) {
            throw error("the key \"\(member.key)\" is not known; there are \(Self.list(known))")
        }
        return JSONMembers(node: self, members: members)
    }

    package static func list(_ words: [String]) -> String {
        words.joined(separator: ", ")
    }
}

/// The members of an object.
package struct JSONMembers: Sendable {
    package let node: JSONNode
    fileprivate let members: [JSON.Member]

    /// The present keys, in the order of the text.
    package var keys: [String] { members.map(\.key) }

    /// The member with this key, or `nil` if there is none.
    package subscript(key: String) -> JSONNode? {
        guard let member = members.first(where: { $0.key == key }) else { return nil }
        let place = node.place.isEmpty ? key : "\(node.place).\(key)"
        return JSONNode(value: member.value, place: place)
    }

    /// Returns the member with this key, or throws if there is none.
    package func require(_ key: String) throws(JSONError) -> JSONNode {
        guard let node = self[key] else { throw node.error("the key \"\(key)\" is missing") }
        return node
    }
}
