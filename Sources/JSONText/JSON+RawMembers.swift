// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The members of an object as bytes, without decoding their values.
    ///
    /// The scanner only finds the end of each value: it counts brackets instead of recursing, and
    /// leaves validation to the reader of the value. Names are compared as they are written, so a
    /// name with an escape sequence is a different name.
    package struct RawMembers {
        /// The maximum number of members.
        private static let limit = 16

        private var members: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

        /// Creates the members of an object; `nil` if the bytes are not an object or have too many
        /// members.
        package init?(_ bytes: some Sequence<UInt8>) {
            var scanner = JSONScanner(Array(bytes))
            scanner.skipBlanks()
            guard scanner.take("{"), scan(&scanner) else { return nil }
            scanner.skipBlanks()
            guard scanner.isAtEnd else { return nil }
        }

        /// Returns whether there is a member with this name.
        package func has(_ name: String) -> Bool {
            members.contains { $0.name.elementsEqual(name.utf8) }
        }

        /// The value with this name; `nil` if there is none or more than one.
        package subscript(name: String) -> ArraySlice<UInt8>? {
            let found = members.filter { $0.name.elementsEqual(name.utf8) }
            return found.count == 1 ? found[0].value : nil
        }

        /// Scans the members and the bracket that closes the object. Returns whether they are
        /// valid.
        private mutating func scan(_ scanner: inout JSONScanner) -> Bool {
            scanner.skipBlanks()
            if scanner.take("}") { return true }
            while members.count < Self.limit {
                scanner.skipBlanks()
                guard let name = scanner.skipString() else { return false }
                scanner.skipBlanks()
                guard scanner.take(":") else { return false }
                scanner.skipBlanks()
                guard let value = scanner.skipValue() else { return false }
                members.append((name.dropFirst().dropLast(), value))
                scanner.skipBlanks()
                if scanner.take("}") { return true }
                guard scanner.take(",") else { return false }
            }
            return false
        }
    }
}

/// A position in the bytes of a JSON text.
struct JSONScanner {
    let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The byte at the position.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipBlanks() {
        while let next, Self.isBlank(next) { position += 1 }
    }

    /// Skips a character, or returns `false` if another one is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips a string and returns it with its quotation marks.
    mutating func skipString() -> ArraySlice<UInt8>? {
        guard next == UInt8(ascii: "\"") else { return nil }
        let start = position
        position += 1
        while let next {
            position = min(position + (next == UInt8(ascii: "\\") ? 2 : 1), bytes.count)
            if next == UInt8(ascii: "\"") { return bytes[start..<position] }
        }
        return nil
    }

    /// Skips a value of any kind and returns it.
    mutating func skipValue() -> ArraySlice<UInt8>? {
        switch next {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested()
        default:
            let start = position
            while let next, !Self.endsWord(next) { position += 1 }
            return start < position ? bytes[start..<position] : nil
        }
    }

    /// Skips an array or object, up to the bracket that closes it.
    private mutating func skipNested() -> ArraySlice<UInt8>? {
        let start = position
        var depth = 0
        while let next {
            switch next {
            case UInt8(ascii: "\""):
                guard skipString() != nil else { return nil }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return bytes[start..<position] }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
    }
}
