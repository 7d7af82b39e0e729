// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import ProcessTestSupport

/// The schema in docs/JSON.md: tables of members under the headings of commands and types.
struct JSONSchema {
    typealias Value = ProcessTestSupport.JSON

    /// A row of a table: a member with its type.
    struct Member: Equatable {
        let name: String
        let type: String
        let isOptional: Bool
    }

    /// The members by heading.
    private(set) var tables: [String: [Member]] = [:]
    /// The members of events, by heading and event.
    private(set) var events: [String: [String: [Member]]] = [:]

    init(_ document: String) {
        var heading = ""
        for line in document.split(separator: "\n") {
            if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" || $0 == " " })
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let first = Self.quoted(cells[0]).first else { continue }
            if cells.count == 4, let type = Self.quoted(cells[1]).first {
                let isOptional = cells[1].hasSuffix("optional")
                let member = Member(name: first, type: type, isOptional: isOptional)
                for name in heading.components(separatedBy: ", ") {
                    tables[name, default: []].append(member)
                }
            } else if cells.count == 3 {
                for event in Self.quoted(cells[0]) { add(event, cells[1], heading) }
            }
        }
    }

    private mutating func add(_ event: String, _ cell: String, _ heading: String) {
        let members =
            cell.contains("#bonds")
            ? tables["bonds"] ?? []
            : cell.components(separatedBy: ", ").flatMap { part in
                Self.quoted(part).map {
                    Member(name: $0, type: "", isOptional: part.hasPrefix("optional"))
                }
            }
        events[heading, default: [:]][event] = members
    }

    private static func quoted(_ text: String) -> [String] {
        text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }

    // MARK: Checking

    /// Returns the differences between the value and the table of the type.
    func faults(of value: Value, _ type: String) -> [String] {
        guard let members = tables[type] else { return ["there is no table for \(type)"] }
        return faults(of: value, members, type)
    }

    /// Returns the differences between an event and its row.
    func faults(ofEvent value: Value, in heading: String) -> [String] {
        let name = value["event"].text ?? ""
        guard let members = events[heading]?[name] else { return ["\(heading) has no \(name)"] }
        let frame = ["time", "event"].map { Member(name: $0, type: "string", isOptional: false) }
        return faults(of: value, frame + members, "\(heading) \(name)")
    }

    private func faults(of value: Value, _ members: [Member], _ place: String) -> [String] {
        guard case .object(let actual) = value else { return ["\(place) is not an object"] }
        let unknown = actual.keys.filter { key in !members.contains { $0.name == key } }
        var faults = unknown.sorted().map { "\(place).\($0) is not documented" }
        for member in members {
            let name = "\(place).\(member.name)"
            guard let actual = actual[member.name] else {
                if !member.isOptional { faults.append("\(name) is missing") }
                continue
            }
            faults += self.faults(of: actual, as: member.type, name)
        }
        return faults
    }

    private func faults(of value: Value, as type: String, _ place: String) -> [String] {
        if type.hasSuffix(" or null") {
            if value == .null { return [] }
            return faults(of: value, as: String(type.dropLast(" or null".count)), place)
        }
        if type.hasPrefix("[") {
            guard case .array(let elements) = value else { return ["\(place) is not an array"] }
            return elements.flatMap {
                faults(of: $0, as: String(type.dropFirst().dropLast()), place)
            }
        }
        let isValid: Bool
        switch (type, value) {
        case ("", _), ("object", .object), ("number", .number), ("boolean", .boolean),
            ("string", .string):
            isValid = true
        case ("time", .string(let text)):
            isValid = text.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil
        case ("hex", .string(let text)): isValid = [UInt8](hexadecimal: text) != nil
        case ("map", .object(let members)):
            return members.flatMap { faults(of: $1, as: "hex", place) }
        case (_, .object): return faults(of: value, type)
        default: isValid = false
        }
        return isValid ? [] : ["\(place) is not of type \(type)"]
    }
}
