// SPDX-License-Identifier: Apache-2.0

/// A value of a message ("Type System").
package indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(DBusObjectPath)
    case signature(DBusSignature)
    /// The index of a file descriptor of the message.
    case unixFD(UInt32)
    /// An array of bytes. The case `array` is not used for it.
    case bytes([UInt8])
    /// An array of values of one type other than `byte`.
    case array(DBusType, [DBusValue])
    /// A structure of one or more members.
    case structure([DBusValue])
    /// A dictionary in the order of the message. The last entry with a key applies.
    case dictionary(DBusType, DBusType, [Entry])
    case variant(DBusValue)

    /// An entry of a dictionary.
    package struct Entry: Hashable, Sendable {
        package let key: DBusValue
        package let value: DBusValue

        package init(_ key: DBusValue, _ value: DBusValue) {
            self.key = key
            self.value = value
        }
    }

    /// The type of the value.
    package var type: DBusType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .unixFD: .unixFD
        case .bytes: .array(.byte)
        case .array(let element, _): .array(element)
        case .structure(let members): .structure(members.map(\.type))
        case .dictionary(let key, let value, _): .dictionary(key, value)
        case .variant: .variant
        }
    }
}

// Values as Swift's types; `nil` for a value of another type.
extension DBusValue {
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var objectPath: DBusObjectPath? {
        if case .objectPath(let value) = self { value } else { nil }
    }

    /// The value of any integer type; `nil` if an `Int` cannot represent it.
    package var integer: Int? {
        switch self {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The elements of an `array`.
    package var elements: [DBusValue]? {
        if case .array(_, let elements) = self { elements } else { nil }
    }

    /// The entries of a dictionary.
    package var entries: [Entry]? {
        if case .dictionary(_, _, let entries) = self { entries } else { nil }
    }

    /// The content of a variant, however deeply nested; the value itself if it is not a variant.
    package var unwrapped: DBusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// The contents of the variants of a dictionary, by name (`a{sv}`).
    package var properties: [String: DBusValue]? {
        guard case .dictionary(.string, .variant, let entries) = self else { return nil }
        var properties: [String: DBusValue] = [:]
        for entry in entries {
            guard let name = entry.key.string else { continue }
            properties[name] = entry.value.unwrapped
        }
        return properties
    }

    /// Creates a dictionary of variants by name (`a{sv}`), in the order of the names.
    package static func properties(_ properties: [String: DBusValue]) -> DBusValue {
        .dictionary(
            .string,
            .variant,
            properties.sorted { $0.key < $1.key }
                .map { Entry(.string($0.key), .variant($0.value)) }
        )
    }
}
