// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object in their written form. It is a minimal parser for an accessory that
/// passes values on without interpreting them.
struct ShallowJSON {
    private var members: [[UInt8]: ArraySlice<UInt8>] = [:]
    private var rest: ArraySlice<UInt8>

    /// Parses the object; `nil` if the bytes are not an object.
    init?(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
        guard take("{") else { return nil }
        var isFirst = true
        while !take("}") {
            guard isFirst || take(","), let name = takeString(), take(":"), let value = takeValue()
            else { return nil }
            members[Array(name.dropFirst().dropLast())] = value
            isFirst = false
        }
        skipBlanks()
        guard rest.isEmpty else { return nil }
    }

    /// The value with the name; `nil` if there is none.
    subscript(name: String) -> ArraySlice<UInt8>? { members[Array(name.utf8)] }

    private mutating func skipBlanks() {
        rest = rest.drop(while: Self.isBlank)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes a string with its quotation marks.
    private mutating func takeString() -> ArraySlice<UInt8>? {
        skipBlanks()
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        return take(upTo: Self.endOfString(rest))
    }

    /// Takes a value of any kind, up to a delimiter outside of all brackets and strings.
    private mutating func takeValue() -> ArraySlice<UInt8>? {
        skipBlanks()
        var depth = 0
        var index = rest.startIndex
        scan: while index < rest.endIndex {
            switch rest[index] {
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(rest[index...]) else { return nil }
                index = end
                continue scan
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case let byte where depth == 0 && Self.ends(byte): break scan
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return depth == 0 && index > rest.startIndex ? take(upTo: index) : nil
    }

    private mutating func take(upTo end: Int?) -> ArraySlice<UInt8>? {
        guard let end else { return nil }
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    private static func ends(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    /// Returns the place after the quotation mark that ends the string at the beginning.
    private static func endOfString(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex + 1
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }
}
