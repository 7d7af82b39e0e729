// SPDX-License-Identifier: Apache-2.0

/// Why a JSON text is not what it should be: where, and what should be there.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The way to the value that is wrong, `devices[2].path[0].at`; or the line and the column of
    /// the character, where the text is not even JSON.
    package let place: String
    /// What is wrong with it.
    package let complaint: String

    package init(place: String, complaint: String) {
        self.place = place
        self.complaint = complaint
    }

    /// Both, as a line.
    package var description: String { place.isEmpty ? complaint : "\(place): \(complaint)" }
}

/// A value of a JSON text with the way to it, which it says when it is not what it should be.
package struct JSONNode: Sendable {
    package let value: JSONValue
    package let place: String

    package init(value: JSONValue, place: String) {
        self.value = value
        self.place = place
    }

    /// The value that a text is.
    package init(parsing text: String) throws(JSONError) {
        do throws(JSONTextError) {
            self.init(value: try JSONValue(parsing: text), place: "")
        } catch {
            let place = "line \(error.line), column \(error.column)"
            throw JSONError(place: place, complaint: error.complaint)
        }
    }

    package func error(_ complaint: String) -> JSONError {
        JSONError(place: place, complaint: complaint)
    }

    // MARK: What it is

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

    /// The number, if it is in the range.
    package func number(in range: ClosedRange<Double>) throws(JSONError) -> Double {
        guard case .number(let number) = value, range.contains(number) else {
            let bounds = "\(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
            throw error("a number from \(bounds) should be here")
        }
        return number
    }

    /// A number without a fraction.
    package func wholeNumber(in range: ClosedRange<Double>) throws(JSONError) -> Double {
        let number = try number(in: range)
        guard number.rounded() == number else { throw error("a whole number should be here") }
        return number
    }

    /// The number without its fraction, where it has none.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }

    /// The elements of a list that is not longer than the limit.
    package func elements(limit: Int) throws(JSONError) -> [JSONNode] {
        guard case .array(let values) = value else { throw error("a list should be here") }
        guard values.count <= limit else { throw error("at most \(limit) may be here") }
        return values.enumerated().map { index, value in
            JSONNode(value: value, place: "\(place)[\(index)]")
        }
    }

    /// The members of an object that has no others than these keys.
    package func members(_ known: String...) throws(JSONError) -> JSONMembers {
        try members(of: known)
    }

    /// The same, of keys in a list.
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
    fileprivate let members: [JSONMember]

    /// The keys that are there, in the order of the text.
    package var keys: [String] { members.map(\.key) }

    /// The member, if it is there.
    package subscript(key: String) -> JSONNode? {
        guard let member = members.first(where: { $0.key == key }) else { return nil }
        let place = node.place.isEmpty ? key : "\(node.place).\(key)"
        return JSONNode(value: member.value, place: place)
    }

    /// The member, which has to be there.
    package func require(_ key: String) throws(JSONError) -> JSONNode {
        guard let node = self[key] else { throw node.error("the key \"\(key)\" is missing") }
        return node
    }
}
