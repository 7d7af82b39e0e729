// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The value on one line without spaces, as in JSON Lines.
    package var compact: String {
        var writer = JSONWriter(isIndented: false)
        writer.write(self)
        return writer.text
    }

    /// The value on several lines, indented by two spaces.
    package var indented: String {
        var writer = JSONWriter(isIndented: true)
        writer.write(self)
        return writer.text
    }
}

/// A writer of JSON text (RFC 8259).
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
        case .integer(let integer): text += String(integer)
        // A JSON text cannot contain infinity or NaN.
        case .number(let number): text += number.isFinite ? String(number) : "null"
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
        guard !scalar.isPrintable else {
            text.unicodeScalars.append(scalar)
            return
        }
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal shows the character and does not interpret it.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned,
            .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}
