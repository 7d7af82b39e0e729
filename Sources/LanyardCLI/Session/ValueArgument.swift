// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothValues
import Foundation
import JSONText

/// The value of an attribute, as a person writes it on the command line, in a typed command, or in
/// a string of a database file.
///
/// | text | value |
/// | --- | --- |
/// | `01ff`, `0x01FF`, `01 ff`, `hex:01ff` | bytes |
/// | `text:hello` | a text in UTF-8 |
/// | `uint16:300`, `medfloat16:36.6` | a number in one of the formats of ``NumberFormat`` |
struct ValueArgument: Equatable, Sendable {
    let bytes: [UInt8]

    /// The forms, for messages.
    static let forms =
        "two hexadecimal digits per byte (01ff), text:hello, or a number with its type (uint16:300)"

    /// Parses one of the forms in the table of this type, a text in quotes (`"hello"`), or a piece
    /// or list of pieces as in a database file (`{"uint16": 300}`).
    init(_ text: String) throws(ProgramFailure) {
        guard let first = text.first, "\"{[".contains(first) else {
            try self.init(plain: text)
            return
        }
        let bytes: [UInt8]
        do throws(JSONError) {
            let node = try JSONNode(parsing: text)
            if case .string(let text) = node.value {
                bytes = Array(text.utf8)
            } else {
                bytes = try node.constantBytes
            }
        } catch {
            throw .usage(
                "the value is not valid: \(TerminalText.escape(error.description))",
                advice: "use \(Self.forms), or a value as in a database file"
            )
        }
        try self.init(limiting: bytes)
    }

    /// Parses a value as `init(_:)` does, or, after `value:`, a value in words with the layout of
    /// the characteristic: `value:21.5` or `value:Year=1990, Month=May, Day=3`.
    init(_ text: String, of reference: CharacteristicReference) throws(ProgramFailure) {
        guard text.lowercased().hasPrefix(Self.words) else {
            try self.init(text)
            return
        }
        guard case .uuid(let uuid) = reference.identity,
            let layout = WellKnownValues.layout(of: uuid)
        else {
            throw .usage(
                "the layout of \(reference) is not known",
                advice: "use \(Self.forms)"
            )
        }
        let words = String(text.dropFirst(Self.words.count))
        try self.init(limiting: try layout.bytes(of: words))
    }

    private static let words = "value:"

    /// Parses one of the forms in the table of this type.
    init(plain text: String) throws(ProgramFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            try self.init(limiting: try Self.hexadecimal(text))
            return
        }
        let rest = String(parts[1])
        switch (parts[0].lowercased(), NumberFormat(rawValue: parts[0].lowercased())) {
        case ("text", _): try self.init(limiting: Array(rest.utf8))
        case ("hex", _): try self.init(limiting: try HexArgument(rest).bytes)
        case (_, let format?): try self.init(limiting: try Self.number(rest, format))
        default: try self.init(limiting: try Self.hexadecimal(text))
        }
    }

    private init(limiting bytes: [UInt8]) throws(ProgramFailure) {
        guard bytes.count <= GATT.valueLengthLimit else {
            throw .usage(
                "\(bytes.count) bytes are too many",
                advice: "an attribute holds at most \(GATT.valueLengthLimit)"
            )
        }
        self.bytes = bytes
    }

    private static func hexadecimal(_ text: String) throws(ProgramFailure) -> [UInt8] {
        do throws(ProgramFailure) {
            return try HexArgument(text).bytes
        } catch {
            guard error.happened.hasSuffix("is not a hexadecimal value") else { throw error }
            let shown = TerminalText.escape(String(text.prefix(shownLimit)))
            throw .usage("'\(shown)' is not a value", advice: "use \(forms)")
        }
    }

    /// The maximum number of characters of an invalid value that the error repeats.
    private static let shownLimit = 60

    // MARK: Numbers

    private static func number(
        _ text: String,
        _ format: NumberFormat
    ) throws(ProgramFailure) -> [UInt8] {
        guard let number = value(of: text) else {
            let shown = TerminalText.escape(String(text.prefix(shownLimit)))
            throw .usage("'\(shown)' is not a number", advice: "write \(format.rawValue):12")
        }
        if format.isMedical { return try medical(number, text, format) }
        let range = format.range(exponent: 0)
        guard range.contains(number), !format.isWhole || number == number.rounded() else {
            let kind = format.isWhole ? "whole numbers " : "numbers "
            throw .usage(
                "\(TerminalText.escape(text)) is not in the range of \(format.rawValue)",
                advice: "it holds \(kind)from \(describe(range.lowerBound)) to "
                    + describe(range.upperBound)
            )
        }
        return format.encode(number, exponent: 0)
    }

    /// Returns the bytes of a number in a medical format, `medfloat16` or `medfloat32`, with all
    /// digits of the text. If the number does not fit otherwise, zeros at its end move into the
    /// exponent or out of it.
    private static func medical(
        _ number: Double,
        _ text: String,
        _ format: NumberFormat
    ) throws(ProgramFailure) -> [UInt8] {
        let (mantissas, exponents) = (format.range(exponent: 0), format.exponents)
        var exponent = Double(-decimals(in: text))
        var mantissa = (number * pow(10, -exponent)).rounded()
        while !mantissas.contains(mantissa) || exponent < exponents.lowerBound,
            mantissa.isFinite, mantissa.truncatingRemainder(dividingBy: 10) == 0,
            exponent < exponents.upperBound
        {
            (mantissa, exponent) = (mantissa / 10, exponent + 1)
        }
        while exponent > exponents.upperBound, mantissas.contains(mantissa * 10) {
            (mantissa, exponent) = (mantissa * 10, exponent - 1)
        }
        guard mantissas.contains(mantissa), exponents.contains(exponent) else {
            throw .usage(
                "\(TerminalText.escape(text)) has no exact form as \(format.rawValue)",
                advice: "it holds whole numbers from \(describe(mantissas.lowerBound)) to "
                    + "\(describe(mantissas.upperBound)), times ten to a power from "
                    + "\(describe(exponents.lowerBound)) to \(describe(exponents.upperBound))"
            )
        }
        return format.encode(mantissa * pow(10, exponent), exponent: Int(exponent))
    }

    /// Returns the number that decimal digits, or hexadecimal digits after `0x`, spell.
    private static func value(of text: String) -> Double? {
        if text.lowercased().hasPrefix("0x") {
            let digits = text.dropFirst(2)
            guard digits.first?.isHexDigit == true else { return nil }
            return UInt64(digits, radix: 16).map { Double($0) }
        }
        let isNumeric = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
        guard isNumeric, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// The limit to which greater exponents are reduced. No format holds an exponent of this size.
    private static let exponentLimit = 10_000.0

    /// Returns the number of digits after the point, less the exponent of the text. Hexadecimal
    /// digits have neither.
    private static func decimals(in text: String) -> Int {
        guard !text.lowercased().hasPrefix("0x") else { return 0 }
        let parts = text.lowercased().split(separator: "e", maxSplits: 1)
        let digits = parts.first ?? ""
        let point = digits.firstIndex(of: ".")
        let count = point.map { digits[$0...].dropFirst().count } ?? 0
        let exponent = parts.count == 2 ? Double(parts[1]) ?? 0 : 0
        return count - Int(min(max(exponent, -exponentLimit), exponentLimit))
    }

    private static func describe(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? String(number)
    }
}

extension ValueLayout {
    /// Returns the bytes of a value in words.
    fileprivate func bytes(of text: String) throws(ProgramFailure) -> [UInt8] {
        let values: [FieldValue]
        do throws(FieldTextError) {
            values = try parse(text.trimmingCharacters(in: .whitespaces))
        } catch {
            switch error {
            case .unknownField(let name):
                throw .usage(
                    "\(characteristic) has no field '\(TerminalText.escape(name))'",
                    advice: fieldAdvice(text)
                )
            case .invalid(let name, let text, let form):
                throw .usage(
                    "'\(TerminalText.escape(text))' is not a valid \(name)",
                    advice: form.isEmpty ? "" : "use \(form)"
                )
            }
        }
        do throws(ValueError) {
            return [UInt8](try encode(values))
        } catch {
            throw .usage(
                "the fields are not a value of \(characteristic): \(error)",
                advice: fieldAdvice(text)
            )
        }
    }

    /// Returns the advice that lists the fields, and their form if the text has no `=`.
    private func fieldAdvice(_ text: String) -> String {
        var names: [String] = []
        for field in fields where field.isShown && !names.contains(field.name) {
            names.append(field.name)
        }
        let list = "its fields are " + names.joined(separator: ", ")
        guard !text.contains("="), let first = names.first else { return list }
        return "\(list); write them as '\(first)=…', with commas between them"
    }
}

extension NumberFormat {
    /// Whether the format contains an exponent of ten.
    fileprivate var isMedical: Bool { self == .medfloat16 || self == .medfloat32 }

    /// Whether the format holds only whole numbers.
    fileprivate var isWhole: Bool { canWrap }
}
