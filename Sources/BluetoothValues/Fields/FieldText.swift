// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

extension ValueLayout {
    /// Parses a value that a person writes. If the layout has one field, its value suffices
    /// (`21.5`). Otherwise, each field has its name (`Year=1990, Month=May, Day=3`).
    ///
    /// The value of a field is a number in the field's unit, the name of a special value
    /// (`not known`), numbers with spaces between them, the names of bits with `+` between them, a
    /// text, a date (`2026-11-28 12:40:05`), or bytes in hexadecimal digits. Names are compared
    /// without regard to case.
    ///
    /// - Parameter text: The text.
    /// - Returns: The fields.
    /// - Throws: ``FieldTextError`` if the layout has no field of a name in the text, or if a field
    ///   cannot contain its text.
    public func parse(_ text: String) throws(FieldTextError) -> [FieldValue] {
        let shown = fields.filter(\.isShown)
        if Set(shown.map(\.name)).count == 1, let field = shown.first,
            !text.lowercased().hasPrefix(field.name.lowercased() + "=")
        {
            return [try parse(text, as: shown)]
        }
        var values: [FieldValue] = []
        for piece in text.split(separator: ",") {
            let sides = piece.split(separator: "=", maxSplits: 1)
            let name = sides[0].trimmingCharacters(in: .whitespaces)
            let named = shown.filter { $0.name.lowercased() == name.lowercased() }
            guard !named.isEmpty else { throw .unknownField(name) }
            let content = sides.count == 2 ? sides[1].trimmingCharacters(in: .whitespaces) : ""
            values.append(try parse(content, as: named))
        }
        return values
    }

    /// Parses the text as the first of these fields that can contain it. The fields have the same
    /// name and differ in their units or sizes, so a unit at the end of the text selects a field.
    private func parse(_ text: String, as fields: [FieldLayout]) throws(FieldTextError)
        -> FieldValue
    {
        for field in fields {
            if let content = field.content(of: text) { return FieldValue(field, content) }
        }
        throw .invalid(fields.first?.name ?? "", text, fields.first?.formText ?? "")
    }
}

/// The reason why a text is not a value.
public enum FieldTextError: Error, Hashable, Sendable {
    /// The layout has no field of this name.
    case unknownField(String)
    /// The field cannot contain the text. The values are the field's name, the text, and a
    /// description of the texts that the field can contain.
    case invalid(String, String, String)
}

extension FieldLayout {
    /// The description of the texts that a person can write.
    public var formText: String {
        switch kind {
        case .bits, .presence: parts.map(\.name).joined(separator: " + ")
        case .enumeration: meanings.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        case .text, .terminatedText: "text"
        case .date: "2026-11-28 12:40:05"
        case .uuid, .bytes: "bytes in hexadecimal digits"
        case .list: "numbers with spaces between them"
        case .unsigned, .signed: numberText
        case .medfloat, .float32: withUnit("a number")
        }
    }

    private var numberText: String {
        let ends = range ?? kind.range
        let numbers =
            "from \(scale.describe(ends.lowerBound)) to \(scale.describe(ends.upperBound))"
        let words = meanings.sorted { $0.key < $1.key }.map { ", or \"\($0.value)\"" }
        let step = scale.step
        return (step == "1" ? "a whole number " : "a number ") + withUnit(numbers)
            + (step.map { $0 == "1" ? "" : " in steps of \($0)" } ?? "") + words.joined()
    }

    /// Returns the content that a text spells; `nil` if the field cannot contain it.
    func content(of text: String) -> FieldContent? {
        switch kind {
        case .unsigned, .signed, .enumeration: return number(of: text).map { .integer($0) }
        case .bits, .presence: return bits(of: text).map { .integer($0) }
        case .list:
            let numbers = text.split(separator: " ").map { number(of: String($0)) }
            return numbers.contains(nil) ? nil : .list(numbers.compactMap { $0 })
        case .medfloat(let size): return medfloat(of: text, size: size)
        case .float32: return Float(withoutUnit(text)).map { .float32($0) }
        case .text, .terminatedText: return .text(text)
        case .date: return Self.date(of: text).map { .date($0) }
        case .uuid, .bytes: return Self.bytes(of: text).map { .bytes($0) }
        }
    }

    private func withoutUnit(_ text: String) -> String {
        guard !unit.isEmpty, text.hasSuffix(unit) else { return text }
        return text.dropLast(unit.count).trimmingCharacters(in: .whitespaces)
    }

    private func number(of text: String) -> Int64? {
        let words = text.lowercased()
        if let meaning = meanings.first(where: { $0.value.lowercased() == words }) {
            return meaning.key
        }
        guard let value = Double(withoutUnit(text)), value.isFinite,
            let number = scale.number(of: value), kind.range.contains(number),
            scale.isExact(number, value), meanings[number] == nil,
            !kind.isEnumeration, range?.contains(number) ?? true
        else { return nil }
        return number
    }

    private func bits(of text: String) -> Int64? {
        var bits: Int64 = 0
        guard text.lowercased() != "none" else { return 0 }
        for piece in text.split(separator: "+") {
            let words = piece.trimmingCharacters(in: .whitespaces).lowercased()
            let choices = parts.flatMap { part in part.choices.map { (part, $0.number, $0.text) } }
            guard let (part, number, _) = choices.first(where: { $0.2.lowercased() == words })
            else { return nil }
            part.put(number, into: &bits)
        }
        return bits
    }

    private func medfloat(of text: String, size: Int) -> FieldContent? {
        let digits = withoutUnit(text)
        guard let value = Double(digits), value.isFinite else { return nil }
        let decimals =
            digits.firstIndex(of: ".").map {
                digits[$0...].dropFirst().prefix { $0.isNumber }.count
            }
            ?? 0
        guard let mantissa = Int(exactly: (value * pow(10, Double(decimals))).rounded()) else {
            return nil
        }
        let number = MedicalNumber.finite(mantissa: mantissa, exponent: -decimals)
        let fits =
            size == 2
            ? (try? ShortMedicalFloat(number)) != nil : (try? MedicalFloat(number)) != nil
        return fits ? .medfloat(number) : nil
    }

    private static func date(of text: String) -> DateTime? {
        let numbers = text.split { "- :T".contains($0) }.compactMap { Int($0) }
        guard numbers.count == 6 else { return nil }
        return try? DateTime(
            year: numbers[0],
            month: numbers[1],
            day: numbers[2],
            hour: numbers[3],
            minute: numbers[4],
            second: numbers[5]
        )
    }

    private static func bytes(of text: String) -> Data? {
        [UInt8](hexadecimal: text.filter { !$0.isWhitespace }).map { Data($0) }
    }
}

extension FieldScale {
    /// Returns whether `number` is `value`, apart from rounding errors. For binary factors and
    /// powers the nearest number is accepted, because few decimal values are exact.
    func isExact(_ number: Int64, _ value: Double) -> Bool {
        switch self {
        case .decimal: abs(self.value(of: number) - value) <= abs(value) * 1e-12
        case .binary, .power: true
        }
    }
}

extension BitField {
    /// The numbers that the part can contain, each with the text that a person writes for it.
    var choices: [(number: Int64, text: String)] {
        guard count > 1 else { return [(1, name)] }
        guard !meanings.isEmpty else {
            return (0..<1 << Int64(count)).map { ($0, "\(name) \($0)") }
        }
        return meanings.enumerated().map { (Int64($0), "\(name) \($1)") }
    }
}
