// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The reason why a text is not valid JSON, and the place of the error.
package struct JSONTextError: Error, Equatable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1 in Unicode scalars.
    package let column: Int
    package let problem: String
}

extension JSON {
    /// The maximum depth of nested values: the arrays, the objects and the innermost value.
    package static let depthLimit = 32

    /// Reads a text that contains exactly one value.
    ///
    /// - Throws: ``JSONTextError`` with the place of the first error.
    package init(parsing text: String) throws(JSONTextError) {
        try self.init(parsing: text.utf8)
    }

    /// Reads a text in UTF-8 that contains exactly one value.
    ///
    /// - Throws: ``JSONTextError`` with the place of the first error.
    package init(parsing bytes: some Sequence<UInt8>) throws(JSONTextError) {
        var reader = JSONReader(scanner: JSONScanner(Array(bytes)))
        self = try reader.readDocument()
    }
}

/// A reader of JSON text, one byte at a time.
private struct JSONReader {
    var scanner: JSONScanner

    mutating func readDocument() throws(JSONTextError) -> JSON {
        let value = try readValue(depth: 0)
        scanner.skipBlanks()
        guard scanner.isAtEnd else { throw error("nothing may follow the value") }
        return value
    }

    private mutating func readValue(depth: Int) throws(JSONTextError) -> JSON {
        scanner.skipBlanks()
        guard depth < JSON.depthLimit else { throw error("the value is nested too deeply") }
        switch scanner.next {
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try read("true", as: .bool(true))
        case UInt8(ascii: "f"): return try read("false", as: .bool(false))
        case UInt8(ascii: "n"): return try read("null", as: .null)
        case .some: return try readNumber()
        case nil: throw error("the text ends where a value should be")
        }
    }

    // MARK: Objects and arrays

    private mutating func readObject(depth: Int) throws(JSONTextError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        var keys: Set<String> = []
        try readList(to: "}") { (reader) throws(JSONTextError) in
            reader.scanner.skipBlanks()
            guard reader.scanner.next == UInt8(ascii: "\"") else {
                throw reader.error("a key in quotes should be here")
            }
            let start = reader.scanner.position
            let key = try reader.readString()
            guard keys.insert(key).inserted else {
                reader.scanner.position = start
                throw reader.error("the key \"\(key)\" is here for the second time")
            }
            reader.scanner.skipBlanks()
            try reader.expect(":")
            members.append(JSON.Member(key, try reader.readValue(depth: depth)))
        }
        return members
    }

    private mutating func readArray(depth: Int) throws(JSONTextError) -> [JSON] {
        var elements: [JSON] = []
        try readList(to: "]") { (reader) throws(JSONTextError) in
            elements.append(try reader.readValue(depth: depth))
        }
        return elements
    }

    private mutating func readList(
        to close: Unicode.Scalar,
        _ readElement: (inout JSONReader) throws(JSONTextError) -> Void
    ) throws(JSONTextError) {
        scanner.position += 1
        scanner.skipBlanks()
        if scanner.take(close) { return }
        while true {
            try readElement(&self)
            scanner.skipBlanks()
            if scanner.take(close) { return }
            guard scanner.take(",") else { throw error("'\(close)' or ',' should be here") }
        }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONTextError) -> String {
        scanner.position += 1
        let start = scanner.position
        var bytes: [UInt8] = []
        while let next = scanner.next, next != UInt8(ascii: "\"") {
            guard next >= 0x20 else { throw error("a control character must be escaped") }
            scanner.position += 1
            if next == UInt8(ascii: "\\") {
                bytes += String(try readEscape()).utf8
            } else {
                bytes.append(next)
            }
        }
        guard let text = String(utf8: bytes) else {
            scanner.position = start
            throw error("the text is not UTF-8")
        }
        guard scanner.take("\"") else { throw error("the text ends within a string") }
        return text
    }

    private mutating func readEscape() throws(JSONTextError) -> Unicode.Scalar {
        let letter = scanner.next.map { Unicode.Scalar($0) }
        scanner.position += 1
        switch letter {
        case "\"", "\\", "/": return letter ?? "/"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try readUnicodeEscape()
        default:
            scanner.position -= 1
            throw error("the escape sequence is not valid")
        }
    }

    private mutating func readUnicodeEscape() throws(JSONTextError) -> Unicode.Scalar {
        let unit = try readFourDigits()
        guard (0xD800...0xDBFF).contains(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw error("unpaired surrogate") }
            return scalar
        }
        guard scanner.take("\\"), scanner.take("u") else {
            throw error("a low surrogate should be here")
        }
        let low = try readFourDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("unpaired surrogate") }
        return scalar
    }

    private mutating func readFourDigits() throws(JSONTextError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let next = scanner.next,
                let digit = Character(Unicode.Scalar(next)).hexDigitValue
            else { throw error("four hexadecimal digits should be here") }
            number = number << 4 | UInt32(digit)
            scanner.position += 1
        }
        return number
    }

    // MARK: Numbers and words

    private mutating func readNumber() throws(JSONTextError) -> JSON {
        let start = scanner.position
        _ = scanner.take("-")
        let hasLeadingZero = scanner.next == UInt8(ascii: "0")
        let wholeCount = skipDigits()
        var isWellFormed = wholeCount > 0 && (!hasLeadingZero || wholeCount == 1)
        var isWhole = true
        if scanner.take(".") {
            isWhole = false
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        if scanner.take("e") || scanner.take("E") {
            isWhole = false
            if !scanner.take("+") { _ = scanner.take("-") }
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        let text = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
        if isWellFormed {
            if isWhole, let integer = Int(text) { return .integer(integer) }
            if let number = Double(text), number.isFinite { return .number(number) }
        }
        scanner.position = start
        throw error("this is not a value")
    }

    private mutating func skipDigits() -> Int {
        let start = scanner.position
        while let next = scanner.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
            scanner.position += 1
        }
        return scanner.position - start
    }

    private mutating func read(_ word: String, as value: JSON) throws(JSONTextError) -> JSON {
        guard scanner.bytes[scanner.position...].starts(with: word.utf8) else {
            throw error("this is not a value")
        }
        scanner.position += word.utf8.count
        return value
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONTextError) {
        guard scanner.take(character) else { throw error("'\(character)' should be here") }
    }

    private func error(_ problem: String) -> JSONTextError {
        let before = String(
            decoding: scanner.bytes.prefix(scanner.position),
            as: UTF8.self
        ).unicodeScalars
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        return JSONTextError(line: line, column: column, problem: problem)
    }
}
