// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Why a text is no scenario: where, and what should be there.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The way to the value that is wrong, `devices[2].path[0].at`; or the line and the column of
    /// the character, where the text is not even JSON.
    public let place: String
    /// What is wrong with it.
    public let complaint: String

    /// Both, as a line.
    public var description: String { place.isEmpty ? complaint : "\(place): \(complaint)" }
}

/// A value of a scenario, with the way to it, which it says when it is not what it should be.
struct ScenarioNode {
    let value: JSONValue
    let place: String

    func error(_ complaint: String) -> ScenarioError {
        ScenarioError(place: place, complaint: complaint)
    }

    // MARK: What it is

    var text: String {
        get throws(ScenarioError) {
            guard case .string(let text) = value else { throw error("a text should be here") }
            return text
        }
    }

    var bool: Bool {
        get throws(ScenarioError) {
            guard case .bool(let flag) = value else {
                throw error("true or false should be here")
            }
            return flag
        }
    }

    /// The number, if it is in the range.
    func number(in range: ClosedRange<Double>) throws(ScenarioError) -> Double {
        guard case .number(let number) = value, range.contains(number) else {
            let bounds = "\(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
            throw error("a number from \(bounds) should be here")
        }
        return number
    }

    /// The number without its fraction, where it has none.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }

    /// The elements of a list that is not longer than the limit.
    func elements(limit: Int) throws(ScenarioError) -> [ScenarioNode] {
        guard case .array(let values) = value else { throw error("a list should be here") }
        guard values.count <= limit else { throw error("at most \(limit) may be here") }
        return values.enumerated().map { index, value in
            ScenarioNode(value: value, place: "\(place)[\(index)]")
        }
    }

    /// The members of an object that has no others than these keys.
    func members(_ known: String...) throws(ScenarioError) -> ScenarioMembers {
        guard case .object(let members) = value else { throw error("an object should be here") }
        for member in members where !known.contains(member.key) {
            throw error("the key \"\(member.key)\" is not known; there are \(Self.list(known))")
        }
        return ScenarioMembers(node: self, members: members)
    }

    static func list(_ words: [String]) -> String {
        words.joined(separator: ", ")
    }
}

/// The members of an object of a scenario.
struct ScenarioMembers {
    let node: ScenarioNode
    fileprivate let members: [JSONMember]

    /// The member, if it is there.
    subscript(key: String) -> ScenarioNode? {
        guard let member = members.first(where: { $0.key == key }) else { return nil }
        let place = node.place.isEmpty ? key : "\(node.place).\(key)"
        return ScenarioNode(value: member.value, place: place)
    }

    /// The member, which has to be there.
    func require(_ key: String) throws(ScenarioError) -> ScenarioNode {
        guard let node = self[key] else { throw node.error("the key \"\(key)\" is missing") }
        return node
    }
}
