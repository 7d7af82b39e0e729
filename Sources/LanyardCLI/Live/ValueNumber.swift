// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import Foundation
import JSONText

/// A number in a value, for a chart.
struct ValueNumber: Equatable, Sendable {
    /// The name of the field; empty if the value has only one.
    let name: String
    let value: Double
    /// The symbol of the unit; empty if there is none.
    let unit: String

    /// The maximum count of numbers in one value.
    static let countLimit = 16

    /// Returns the numbers in the value of a characteristic: those of its fields, or else those in
    /// its description in words. The value of an unknown characteristic is itself the only number,
    /// if the value is the text of a number or has 1, 2 or 4 bytes.
    static func all(in bytes: [UInt8], of uuid: BluetoothUUID) -> [ValueNumber] {
        if let fields = fields(of: bytes, uuid) { return Array(fields.prefix(countLimit)) }
        if let meaning = try? WellKnownValues.describe(bytes, ofCharacteristic: uuid) {
            return Array(meaning.split(separator: ", ").compactMap(parse).prefix(countLimit))
        }
        guard !WellKnownValues.knows(characteristic: uuid) else { return [] }
        return plain(bytes).map { [$0] } ?? []
    }

    var json: JSON {
        .object([
            .init("name", .string(name)), .init("value", .number(value)),
            .init("unit", .string(unit)),
        ])
    }

    /// Returns the numbers of the fields; `nil` if there is no layout of fields.
    private static func fields(of bytes: [UInt8], _ uuid: BluetoothUUID) -> [ValueNumber]? {
        guard let short = uuid.short16, WellKnownValues.characteristics[short] == nil,
            let layout = WellKnownValues.layout(of: uuid),
            let fields = try? layout.decode(Data(bytes))
        else { return nil }
        return fields.compactMap { field in
            guard let number = field.number ?? field.numbers?.last, number.isFinite else {
                return nil
            }
            let name = fields.count == 1 ? "" : field.layout.name
            return ValueNumber(name: name, value: number, unit: field.layout.unit)
        }
    }

    /// Parses a part of a value in words, such as `72 bpm` or `energy 12 kJ`.
    private static func parse(_ part: Substring) -> ValueNumber? {
        let pattern =
            #/(?<name>[^\d+\-"]*?)\s*(?<number>[+\-]?\d+(\.\d+)?)(\s+(?<unit>[^\d"]\S*)|%)?/#
        guard let match = part.wholeMatch(of: pattern), let number = Double(match.number) else {
            return nil
        }
        let unit = match.unit.map(String.init) ?? (part.hasSuffix("%") ? "%" : "")
        return ValueNumber(name: String(match.name), value: number, unit: unit)
    }

    private static func plain(_ bytes: [UInt8]) -> ValueNumber? {
        if bytes.count > 1, let text = TerminalText.text(utf8: bytes), text.count <= digitLimit,
            text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.".contains($0)) }),
            let number = Double(text)
        {
            return ValueNumber(name: "", value: number, unit: "")
        }
        guard [1, 2, 4].contains(bytes.count) else { return nil }
        let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ValueNumber(name: "", value: Double(number), unit: "")
    }

    /// The maximum length of a number as text, in characters.
    private static let digitLimit = 24
}
