// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file `characteristic-fields.csv`: the layouts of values.
///
/// A line with four hexadecimal digits begins a characteristic. Each line after it is a field:
///
///     name,type,condition,scale,unit,range,meanings
///
/// | column | forms |
/// | --- | --- |
/// | type | `u8`…`u48` and `s8`…`s48` are numbers, `u16*` numbers up to the end, `e8` a number of which only those with a meaning are valid, `b16` bits, `f16` bits that show which fields are present, `m16` and `m32` medical numbers, `float`, `utf8`, `utf8/16` with a size, `utf8z` with a zero at the end, `bytes`, `bytes/6`, `datetime`, `uuid`, and `=2A6E` the only field of another characteristic |
/// | condition | `3` if bit 3 of the flags is set, `!3` if it is clear, `1&!2`, `=4` if the first field is 4, `?` if bytes remain |
/// | scale | `e-2`, `5e-3`, `2^-6`, `e-1+-1000` with an offset before the scale, `~1.5e-08` a binary factor, `pow BASE OFFSET DIVISOR` |
/// | range | the first and last valid number, in hexadecimal: `0..64` |
/// | meanings | `FF=not known/0=none` in hexadecimal; for bits `0=low/3-4=Level:a\|b\|c\|d` with bit numbers in decimal; or the name of a list |
///
/// A line that begins with `@` is a list of meanings, and one that begins with `#` is a comment.
/// Reserved bits have no name.
struct FieldTable: Sendable {
    /// The lines of the fields, by the hexadecimal digits of their characteristic's UUID.
    let rows: [String: [Substring]]
    private let lists: [Substring: Substring]

    /// The table in the embedded file. The lines of a characteristic are parsed when they are
    /// needed.
    static let shared = FieldTable(
        String(decoding: PackageResources.characteristic_fields_csv, as: UTF8.self)
    )

    init(_ text: String) {
        var rows: [String: [Substring]] = [:]
        var lists: [Substring: Substring] = [:]
        var current = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if let comma = line.utf8.firstIndex(of: UInt8(ascii: ",")) {
                if line.hasPrefix("@") {
                    lists[line[..<comma]] = line[line.index(after: comma)...]
                } else {
                    rows[current, default: []].append(line)
                }
            } else {
                current = String(line)
            }
        }
        self.rows = rows
        self.lists = lists
    }

    /// Returns the fields of a characteristic; `nil` if there are none, or if a line is not valid.
    func fields(of digits: String) -> [FieldLayout]? {
        guard let lines = rows[digits] else { return nil }
        let fields = lines.compactMap(field)
        return fields.count == lines.count ? fields : nil
    }

    private func field(_ line: Substring) -> FieldLayout? {
        var columns = line.split(separator: ",", omittingEmptySubsequences: false)
        guard columns.count <= Self.columns else { return nil }
        while columns.count < Self.columns { columns.append("") }
        if columns[1].hasPrefix("=") {
            guard let other = fields(of: String(columns[1].dropFirst()))?.first else { return nil }
            return FieldLayout(
                name: String(columns[0]),
                unit: other.unit,
                kind: other.kind,
                condition: .always,
                scale: other.scale,
                range: other.range,
                meanings: other.meanings,
                parts: other.parts
            )
        }
        guard let kind = FieldKind(columns[1]), let condition = FieldCondition(columns[2]),
            let scale = FieldScale(columns[3]), let range = Self.range(columns[5])
        else { return nil }
        let listed = columns[6].hasPrefix("@") ? lists[columns[6]] : columns[6]
        guard let entries = listed?.split(separator: "/") else { return nil }
        let parts = kind.isBits ? entries.compactMap(BitField.init) : []
        let meanings = kind.isBits ? [] : entries.compactMap(Self.meaning)
        guard parts.count + meanings.count == entries.count else { return nil }
        return FieldLayout(
            name: String(columns[0]),
            unit: String(columns[4]),
            kind: kind,
            condition: condition,
            scale: scale,
            range: range,
            meanings: Dictionary(meanings, uniquingKeysWith: { first, _ in first }),
            parts: parts
        )
    }

    private static let columns = 7

    private static func meaning(_ text: Substring) -> (Int64, String)? {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, let number = Int64(sides[0], radix: 16) else { return nil }
        return (number, String(sides[1]))
    }

    /// Returns the range. The outer `nil` means that the text is not valid, the inner one that
    /// there is no range.
    private static func range(_ text: Substring) -> ClosedRange<Int64>?? {
        if text.isEmpty { return .some(nil) }
        let ends = text.components(separatedBy: "..").compactMap { Int64($0, radix: 16) }
        guard ends.count == 2, ends[0] <= ends[1] else { return nil }
        return ends[0]...ends[1]
    }
}

extension FieldKind {
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let size = parts.count == 2 ? Int(parts[1]) : nil
        switch parts.first {
        case "utf8": self = .text(size)
        case "utf8z": self = .terminatedText
        case "bytes": self = .bytes(size)
        case "datetime": self = .date
        case "uuid": self = .uuid
        case "float": self = .float32
        case let name?:
            let isList = name.last == "*"
            guard let letter = name.first,
                let bits = Int(name.dropFirst().prefix(while: \.isNumber)), bits % 8 == 0,
                (8...48).contains(bits)
            else { return nil }
            switch letter {
            case "u": self = isList ? .list(bytes: bits / 8, isSigned: false) : .unsigned(bits / 8)
            case "s": self = isList ? .list(bytes: bits / 8, isSigned: true) : .signed(bits / 8)
            case "e": self = .enumeration(bits / 8)
            case "b": self = .bits(bits / 8)
            case "f": self = .presence(bits / 8)
            case "m": self = .medfloat(bits / 8)
            default: return nil
            }
        case nil: return nil
        }
    }
}

extension FieldCondition {
    fileprivate init?(_ text: Substring) {
        switch text.first {
        case nil: self = .always
        case "?": self = .ifBytesRemain
        case "=":
            guard let number = Int64(text.dropFirst()) else { return nil }
            self = .selected(number)
        default:
            var set: Int64 = 0
            var clear: Int64 = 0
            for term in text.split(separator: "&") {
                let isClear = term.hasPrefix("!")
                guard let bit = Int64(isClear ? term.dropFirst() : term), (0..<48).contains(bit)
                else { return nil }
                if isClear { clear |= 1 << bit } else { set |= 1 << bit }
            }
            self = .bits(set: set, clear: clear)
        }
    }
}

extension FieldScale {
    fileprivate init?(_ text: Substring) {
        if text.isEmpty {
            self = .one
        } else if text.hasPrefix("~") {
            guard let factor = Double(text.dropFirst()) else { return nil }
            self = .binary(factor)
        } else if text.hasPrefix("pow ") {
            let numbers = text.split(separator: " ").dropFirst().compactMap { Double($0) }
            guard numbers.count == 3 else { return nil }
            self = .power(base: numbers[0], offset: numbers[1], divisor: numbers[2])
        } else if text.hasPrefix("2^-") {
            guard let power = Int(text.dropFirst(3)), (1...16).contains(power) else { return nil }
            let factor = (0..<power).reduce(Int64(1)) { product, _ in product * 5 }
            self = .decimal(factor: factor, exponent: -power, offset: 0)
        } else {
            let sides = text.split(separator: "+", maxSplits: 1)
            let parts = sides[0].split(separator: "e", omittingEmptySubsequences: false)
            guard parts.count == 2, let exponent = Int(parts[1]), (-9...9).contains(exponent),
                let factor = parts[0].isEmpty ? 1 : Int64(parts[0]),
                let offset = sides.count == 2 ? Int64(sides[1]) : 0
            else { return nil }
            self = .decimal(factor: factor, exponent: exponent, offset: offset)
        }
    }
}

extension BitField {
    fileprivate init?(_ text: Substring) {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else { return nil }
        let places = sides[0].split(separator: "-").compactMap { Int($0) }
        guard let lowest = places.first, let highest = places.last, places.count <= 2,
            lowest <= highest, highest < 48
        else { return nil }
        let words = sides[1].split(separator: ":", maxSplits: 1)
        guard let name = words.first else { return nil }
        self.init(
            lowest: lowest,
            count: highest - lowest + 1,
            name: String(name),
            meanings: words.count == 2 ? words[1].split(separator: "|").map(String.init) : []
        )
    }
}
