// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A single complete type ("Type System").
package indirect enum DBusType: Hashable, Sendable {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
    case string, objectPath, signature, unixFD, variant
    case array(DBusType)
    case structure([DBusType])
    /// An array of dictionary entries. The key is a basic type.
    case dictionary(DBusType, DBusType)

    /// The alignment of a value in bytes ("Marshaling", "Summary of D-Bus marshaling").
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .unixFD, .string, .objectPath, .array, .dictionary: 4
        case .int64, .uint64, .double, .structure: 8
        }
    }

    /// Whether the type is a basic type. Only basic types can be keys of a dictionary.
    var isBasic: Bool {
        switch self {
        case .array, .structure, .dictionary, .variant: false
        default: true
        }
    }

    /// The code of the type in a signature; `nil` for arrays, structures and dictionaries, whose
    /// signatures contain other types.
    private var code: Character? {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .unixFD: "h"
        case .variant: "v"
        case .array, .structure, .dictionary: nil
        }
    }

    /// The text of the type in a signature.
    var text: String {
        switch self {
        case .array(let element): "a" + element.text
        case .structure(let members): "(" + members.map(\.text).joined() + ")"
        case .dictionary(let key, let value): "a{" + key.text + value.text + "}"
        default: code.map { String($0) } ?? ""
        }
    }
}

/// A sequence of complete types ("Type System").
package struct DBusSignature: Hashable, Sendable, CustomStringConvertible {
    package let types: [DBusType]
    /// The text, for example `a{sv}`.
    package let description: String

    /// The signature without types.
    package static let empty = DBusSignature([])

    /// Creates the signature of these types. The bounds of signatures are not checked.
    package init(_ types: [DBusType]) {
        self.types = types
        description = types.map(\.text).joined()
    }

    /// Reads a signature.
    ///
    /// - Throws: `MalformedBytes.invalid` if the text is not a signature or exceeds a bound.
    package init(parsing text: String) throws(MalformedBytes) {
        guard text.utf8.count <= DBusLimits.signatureLength else {
            throw .invalid(field: "length of a signature")
        }
        var parser = Parser(rest: Array(text.utf8)[...])
        types = try parser.parseAll()
        description = text
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>
        var arrayDepth = 0
        var structureDepth = 0

        mutating func parseAll() throws(MalformedBytes) -> [DBusType] {
            var types: [DBusType] = []
            while !rest.isEmpty { types.append(try parseOne()) }
            return types
        }

        private mutating func parseOne() throws(MalformedBytes) -> DBusType {
            guard let code = rest.popFirst() else { throw .invalid(field: "end of a signature") }
            switch code {
            case UInt8(ascii: "a"): return try parseArray()
            case UInt8(ascii: "("): return try parseStructure()
            default:
                guard let type = Self.basic[code] else {
                    throw .invalid(field: "type code in a signature")
                }
                return type
            }
        }

        private mutating func parseArray() throws(MalformedBytes) -> DBusType {
            arrayDepth += 1
            guard arrayDepth <= DBusLimits.containerDepth else {
                throw .invalid(field: "depth of arrays")
            }
            defer { arrayDepth -= 1 }
            guard rest.first == UInt8(ascii: "{") else { return .array(try parseOne()) }
            rest.removeFirst()
            // A dictionary entry counts as a structure.
            structureDepth += 1
            guard structureDepth <= DBusLimits.containerDepth else {
                throw .invalid(field: "depth of structures")
            }
            defer { structureDepth -= 1 }
            let key = try parseOne()
            let value = try parseOne()
            guard key.isBasic, rest.popFirst() == UInt8(ascii: "}") else {
                throw .invalid(field: "dictionary in a signature")
            }
            return .dictionary(key, value)
        }

        private mutating func parseStructure() throws(MalformedBytes) -> DBusType {
            structureDepth += 1
            guard structureDepth <= DBusLimits.containerDepth else {
                throw .invalid(field: "depth of structures")
            }
            defer { structureDepth -= 1 }
            var members: [DBusType] = []
            while rest.first != UInt8(ascii: ")") { members.append(try parseOne()) }
            rest.removeFirst()
            guard !members.isEmpty else { throw .invalid(field: "empty structure") }
            return .structure(members)
        }

        private static let basic: [UInt8: DBusType] = [
            UInt8(ascii: "y"): .byte, UInt8(ascii: "b"): .boolean, UInt8(ascii: "n"): .int16,
            UInt8(ascii: "q"): .uint16, UInt8(ascii: "i"): .int32, UInt8(ascii: "u"): .uint32,
            UInt8(ascii: "x"): .int64, UInt8(ascii: "t"): .uint64, UInt8(ascii: "d"): .double,
            UInt8(ascii: "s"): .string, UInt8(ascii: "o"): .objectPath,
            UInt8(ascii: "g"): .signature, UInt8(ascii: "h"): .unixFD, UInt8(ascii: "v"): .variant,
        ]
    }
}
