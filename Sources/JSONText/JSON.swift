// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The content of a JSON text (RFC 8259). Keys keep their order.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without a fraction or an exponent.
    case integer(Int)
    /// A number with a fraction or an exponent, or too large for an integer.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A key of an object with its value.
    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSON

        package init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }
}

extension JSON {
    /// The text of a string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a number.
    package var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// The elements of an array.
    package var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object.
    package var members: [String: JSON]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Returns a string, or null for `nil`.
    package static func string(orNull text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }

    /// Returns an integer, or null for `nil`.
    package static func integer(orNull number: Int?) -> JSON {
        number.map { .integer($0) } ?? .null
    }

    /// Returns an object with its keys in alphabetical order.
    package static func object(sorting members: [String: JSON]) -> JSON {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    /// Returns bytes as lowercase hexadecimal digits.
    package static func bytes(_ bytes: some Sequence<UInt8>) -> JSON {
        .string(bytes.hexadecimal)
    }
}
