// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A JSON value whose objects keep the order of their keys, so that the same facts always print as
/// the same text.
enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One key of an object with its value.
    struct Member: Equatable, Sendable {
        let key: String
        let value: JSON

        init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// A text, or null where there is none.
    static func string(orNull text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }

    /// A number, or null where there is none.
    static func number(orNull number: Int?) -> JSON {
        number.map { .number($0) } ?? .null
    }

    /// Bytes as lower-case hexadecimal digits.
    static func bytes(_ bytes: some Sequence<UInt8>) -> JSON {
        .string(bytes.hexadecimal)
    }
}
