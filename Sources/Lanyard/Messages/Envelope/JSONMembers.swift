// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The members of a JSON object as byte ranges, without decoding their values.
///
/// The scanner only finds the end of each value: it counts brackets instead of descending, and
/// leaves validation to the decoder. Names are compared as they are written, so a name with an
/// escape sequence is a different name.
struct JSONMembers {
    private var bytes: Data
    private var members: [(name: Data, value: Data)] = []

    /// Creates the members of an object; `nil` if the data is not an object or has too many
    /// members.
    init?(_ json: Data) {
        bytes = json
        guard scanObject(), bytes.isEmpty else { return nil }
    }

    /// The maximum number of members.
    private static let limit = 16

    /// The names, in order.
    var names: [Data] { members.map(\.name) }

    /// The value with this name; `nil` if there is none or more than one.
    subscript(name: String) -> Data? {
        let found = members.filter { $0.name.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0].value : nil
    }

    private mutating func scanObject() -> Bool {
        skipBlanks()
        guard take("{") else { return false }
        skipBlanks()
        if take("}") {
            skipBlanks()
            return true
        }
        while members.count < Self.limit, let member = scanMember() {
            members.append(member)
            if take(",") { continue }
            guard take("}") else { return false }
            skipBlanks()
            return true
        }
        return false
    }

    private mutating func scanMember() -> (Data, Data)? {
        skipBlanks()
        guard let name = cut(stringLength), name.count >= 2 else { return nil }
        skipBlanks()
        guard take(":") else { return nil }
        skipBlanks()
        guard let value = cut(valueLength) else { return nil }
        skipBlanks()
        return (name.dropFirst().dropLast(), value)
    }

    // MARK: Lengths in bytes, from the current position

    private var valueLength: Int? {
        switch bytes.first {
        case UInt8(ascii: "\""): stringLength
        case UInt8(ascii: "{"), UInt8(ascii: "["): nestedLength
        default: wordLength
        }
    }

    /// The length of a string with its quotation marks.
    private var stringLength: Int? {
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        return Self.endOfString(bytes, from: bytes.startIndex).map { $0 - bytes.startIndex }
    }

    /// The length of an array or object, up to the bracket that closes it.
    private var nestedLength: Int? {
        var depth = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(bytes, from: index) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return index - bytes.startIndex }
        }
        return nil
    }

    /// The length of a number, `true`, `false` or `null`.
    private var wordLength: Int? {
        let length = bytes.prefix { !Self.endsWord($0) }.count
        return length > 0 ? length : nil
    }

    /// Returns the index after the closing quotation mark.
    private static func endOfString(_ bytes: Data, from start: Data.Index) -> Data.Index? {
        var index = start + 1
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    // MARK: Consuming the input

    private mutating func skipBlanks() {
        bytes = bytes.drop(while: Self.isBlank)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    private mutating func cut(_ length: Int?) -> Data? {
        guard let length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
