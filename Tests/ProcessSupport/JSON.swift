// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value, which tests exchange with peers and compare.
package enum JSON: Equatable, Sendable, Codable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    /// The value as JSON, in one line.
    package var line: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    /// The member of an object, or null if there is none.
    package subscript(key: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    /// The members of an object; empty for other values.
    package var members: [String: JSON] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The elements of an array; empty for other values.
    package var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The text of a string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a whole number.
    package var integer: Int? {
        guard case .number(let value) = self else { return nil }
        return Int(exactly: value)
    }

    /// Returns the differences of `self` from `expected`, one line for each, such as
    /// `services[3].uuid: …, not …`.
    package func differences(from expected: JSON, at path: String = "") -> [String] {
        switch (self, expected) {
        case (.object(let found), .object(let wanted)):
            let keys = Set(found.keys).union(wanted.keys).sorted()
            return keys.flatMap { key in
                let place = path.isEmpty ? key : "\(path).\(key)"
                return Self.differences(found[key], wanted[key], at: place)
            }
        case (.array(let found), .array(let wanted)):
            return (0..<max(found.count, wanted.count)).flatMap { index in
                Self.differences(
                    index < found.count ? found[index] : nil,
                    index < wanted.count ? wanted[index] : nil,
                    at: "\(path)[\(index)]"
                )
            }
        default:
            return self == expected ? [] : ["\(path): \(self), not \(expected)"]
        }
    }

    private static func differences(_ found: JSON?, _ wanted: JSON?, at path: String) -> [String] {
        switch (found, wanted) {
        case (let found?, let wanted?): found.differences(from: wanted, at: path)
        case (let found?, nil): ["\(path): \(found), where nothing was expected"]
        case (nil, let wanted?): ["\(path): missing; expected \(wanted)"]
        case (nil, nil): []
        }
    }
}

// MARK: - Bytes as text

extension JSON {
    /// Returns the hexadecimal digits of the bytes, as text.
    package static func bytes(_ bytes: [UInt8]) -> JSON {
        .string(bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined())
    }

    /// The bytes that the hexadecimal digits in the text stand for; empty without text.
    package var bytes: [UInt8] {
        let digits = (text ?? "").compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
