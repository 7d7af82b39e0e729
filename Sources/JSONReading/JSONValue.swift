// SPDX-License-Identifier: Apache-2.0

/// The content of a JSON text (RFC 8259). Keys keep their order.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
}

/// A key of an object with its value.
package struct JSONMember: Equatable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// The reason why a text is not valid JSON, and the place of the error.
package struct JSONTextError: Error, Equatable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1 in Unicode scalars.
    package let column: Int
    package let complaint: String
}

extension JSONValue {
    /// The maximum nesting of arrays and objects.
    package static let depthLimit = 32

    /// Reads a text that contains exactly one value.
    ///
    /// - Throws: ``JSONTextError`` with the place of the first error.
    package init(parsing text: String) throws(JSONTextError) {
        var reader = JSONTextReader(text)
        self = try reader.readDocument()
    }
}

/// Reads JSON text, one Unicode scalar at a time.
private struct JSONTextReader {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func readDocument() throws(JSONTextError) -> JSONValue {
        let value = try readValue(depth: 0)
        skipSpace()
        guard position == scalars.count else { throw error("nothing may follow the value") }
        return value
    }

    private mutating func readValue(depth: Int) throws(JSONTextError) -> JSONValue {
        skipSpace()
        guard depth < JSONValue.depthLimit else { throw error("the value is nested too deeply") }
        switch next {
        case "{": return .object(try readObject(depth: depth + 1))
        case "[": return .array(try readArray(depth: depth + 1))
        case "\"": return .string(try readString())
        case "t": return try read("true", as: .bool(true))
        case "f": return try read("false", as: .bool(false))
        case "n": return try read("null", as: .null)
        case .some: return .number(try readNumber())
        case nil: throw error("the text ends where a value should be")
        }
    }

    // MARK: Objects and arrays

    private mutating func readObject(depth: Int) throws(JSONTextError) -> [JSONMember] {
        var members: [JSONMember] = []
        var keys: Set<String> = []
        try readList(from: "{", to: "}") { (reader) throws(JSONTextError) in
            reader.skipSpace()
            guard reader.next == "\"" else { throw reader.error("a key in quotes should be here") }
            let start = reader.position
            let key = try reader.readString()
            guard keys.insert(key).inserted else {
                reader.position = start
                throw reader.error("the key \"\(key)\" is here for the second time")
            }
            try reader.expect(":")
            members.append(JSONMember(key: key, value: try reader.readValue(depth: depth)))
        }
        return members
    }

    private mutating func readArray(depth: Int) throws(JSONTextError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try readList(from: "[", to: "]") { (reader) throws(JSONTextError) in
            elements.append(try reader.readValue(depth: depth))
        }
        return elements
    }

    private mutating func readList(
        from open: Unicode.Scalar,
        to close: Unicode.Scalar,
        _ readElement: (inout JSONTextReader) throws(JSONTextError) -> Void
    ) throws(JSONTextError) {
        try expect(open)
        skipSpace()
        if next == close { return position += 1 }
        while true {
            try readElement(&self)
            skipSpace()
            if next == close { return position += 1 }
            guard next == "," else { throw error("'\(close)' or ',' should be here") }
            position += 1
        }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONTextError) -> String {
        try expect("\"")
        var text = String.UnicodeScalarView()
        while let scalar = next, scalar != "\"" {
            guard scalar.value >= 0x20 else { throw error("a control character must be escaped") }
            position += 1
            text.append(scalar == "\\" ? try readEscape() : scalar)
        }
        guard next == "\"" else { throw error("the text ends within a string") }
        position += 1
        return String(text)
    }

    private mutating func readEscape() throws(JSONTextError) -> Unicode.Scalar {
        let letter = next
        position += 1
        switch letter {
        case "\"", "\\", "/": return letter ?? "/"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try readUnicodeEscape()
        default:
            position -= 1
            throw error("the escape sequence is not valid")
        }
    }

    private mutating func readUnicodeEscape() throws(JSONTextError) -> Unicode.Scalar {
        let unit = try readFourDigits()
        guard (0xD800...0xDBFF).contains(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw error("unpaired surrogate") }
            return scalar
        }
        guard next == "\\" else { throw error("a low surrogate should be here") }
        position += 1
        guard next == "u" else { throw error("a low surrogate should be here") }
        position += 1
        let low = try readFourDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("unpaired surrogate") }
        return scalar
    }

    private mutating func readFourDigits() throws(JSONTextError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character($0).hexDigitValue }), next?.isASCII == true
            else { throw error("four hexadecimal digits should be here") }
            number = number << 4 | UInt32(digit)
            position += 1
        }
        return number
    }

    // MARK: Numbers and words

    private mutating func readNumber() throws(JSONTextError) -> Double {
        let start = position
        if next == "-" { position += 1 }
        let hasLeadingZero = next == "0"
        let wholeCount = skipDigits()
        var isWellFormed = wholeCount > 0 && (!hasLeadingZero || wholeCount == 1)
        if next == "." {
            position += 1
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        if next == "e" || next == "E" {
            position += 1
            if next == "+" || next == "-" { position += 1 }
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<position])
        guard isWellFormed, let number = Double(String(text)), number.isFinite else {
            position = start
            throw error("this is no value")
        }
        return number
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let scalar = next, ("0"..."9").contains(scalar) { position += 1 }
        return position - start
    }

    private mutating func read(
        _ word: String,
        as value: JSONValue
    ) throws(JSONTextError) -> JSONValue {
        let letters = Array(word.unicodeScalars)
        guard scalars[position...].starts(with: letters) else { throw error("this is no value") }
        position += letters.count
        return value
    }

    // MARK: Scalars

    private var next: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private mutating func skipSpace() {
        while let scalar = next, " \n\r\t".unicodeScalars.contains(scalar) { position += 1 }
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(JSONTextError) {
        skipSpace()
        guard next == scalar else { throw error("'\(scalar)' should be here") }
        position += 1
    }

    private func error(_ complaint: String) -> JSONTextError {
        let before = scalars[..<min(position, scalars.count)]
        let line = before.count { $0 == "\n" } + 1
        let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return JSONTextError(line: line, column: before.count - lineStart + 1, complaint: complaint)
    }
}
