// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A JSON value whose objects keep the order of their keys, so that equal values print as equal
/// text.
enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A key and its value in an object.
    struct Member: Equatable, Sendable {
        let key: String
        let value: JSON

        init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// A string, or null for nil.
    static func string(orNull text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }

    /// A number, or null for nil.
    static func number(orNull number: Int?) -> JSON {
        number.map { .number($0) } ?? .null
    }

    /// Bytes as lower-case hexadecimal digits.
    static func bytes(_ bytes: some Sequence<UInt8>) -> JSON {
        .string(bytes.hexadecimal)
    }
}

extension JSON {
    /// The value on one line without spaces, as in JSON Lines.
    var compact: String {
        var writer = JSONWriter(isIndented: false)
        writer.write(self)
        return writer.text
    }

    /// The value on several lines, indented by two spaces.
    var indented: String {
        var writer = JSONWriter(isIndented: true)
        writer.write(self)
        return writer.text
    }
}

/// Writes JSON text (RFC 8259).
private struct JSONWriter {
    private(set) var text = ""
    private let isIndented: Bool
    private var level = 0

    init(isIndented: Bool) {
        self.isIndented = isIndented
    }

    mutating func write(_ value: JSON) {
        switch value {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .number(let number): text += String(number)
        case .string(let string): write(string)
        case .array(let elements):
            writeList(elements, between: "[", and: "]") { $0.write($1) }
        case .object(let members):
            writeList(members, between: "{", and: "}") { writer, member in
                writer.write(member.key)
                writer.text += writer.isIndented ? ": " : ":"
                writer.write(member.value)
            }
        }
    }

    private mutating func writeList<Element>(
        _ elements: [Element],
        between open: String,
        and close: String,
        writeElement: (inout JSONWriter, Element) -> Void
    ) {
        text += open
        level += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            startLine()
            writeElement(&self, element)
        }
        level -= 1
        if !elements.isEmpty { startLine() }
        text += close
    }

    private mutating func startLine() {
        guard isIndented else { return }
        text += "\n" + String(repeating: "  ", count: level)
    }

    /// Writes a string literal. Characters that a terminal interprets are escaped too, because
    /// people read the output.
    private mutating func write(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: write(scalar)
            }
        }
        text += "\""
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        guard !TerminalText.isPrintable(scalar) else {
            text.unicodeScalars.append(scalar)
            return
        }
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
