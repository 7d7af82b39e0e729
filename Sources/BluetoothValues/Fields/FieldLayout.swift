// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The layout of one field of a characteristic's value.
public struct FieldLayout: Hashable, Sendable {
    /// The name of the field, such as `Heart Rate`.
    public let name: String
    /// The symbol of the unit, such as `m/s`; empty if there is none.
    public let unit: String

    let kind: FieldKind
    let condition: FieldCondition
    let scale: FieldScale
    /// The range of the valid numbers; `nil` if there is no range. Numbers in `meanings` are valid
    /// even outside it.
    let range: ClosedRange<Int64>?
    /// Numbers with a special meaning, such as `not known`.
    let meanings: [Int64: String]
    /// The parts of a field of bits.
    let parts: [BitField]

    /// Whether the field is shown to a person. The only fields that are not shown are flags without
    /// named bits, which only say which other fields are present.
    package var isShown: Bool { !kind.isPresenceFlags || !parts.isEmpty }

    /// The bits that have a meaning.
    var namedBits: Int64 { parts.reduce(0) { $0 | (1 << $1.count - 1) << $1.lowest } }

    /// Returns the content for a person: flags without the bits that have no name, or any other
    /// content unchanged; `nil` if no named bit of the flags is set.
    func shown(_ content: FieldContent) -> FieldContent? {
        guard kind.isPresenceFlags else { return content }
        guard case .integer(let bits) = content, bits & namedBits != 0 else { return nil }
        return .integer(bits & namedBits)
    }

    /// Whether the field is a single number, and neither an enumeration nor bits.
    public var isNumeric: Bool {
        switch kind {
        case .unsigned, .signed, .medfloat, .float32: true
        default: false
        }
    }

    /// Throws an error if the number is reserved.
    private func check(_ number: Int64) throws(ValueError) {
        if meanings[number] != nil { return }
        guard !kind.isEnumeration, range?.contains(number) ?? true else {
            throw .invalid(field: name)
        }
    }

    func decode(from reader: inout ValueReader) throws(ValueError) -> FieldContent {
        let content = try kind.decode(from: &reader, field: name)
        switch content {
        case .integer(let number): try check(number)
        case .list(let numbers): for number in numbers { try check(number) }
        default: break
        }
        return content
    }

    func encode(_ content: FieldContent, to writer: inout ValueWriter) throws(ValueError) {
        switch content {
        case .integer(let number): try check(number)
        case .list(let numbers): for number in numbers { try check(number) }
        default: break
        }
        guard case .bits = kind, case .integer(let bits) = content else {
            try kind.encode(content, to: &writer, field: name)
            return
        }
        try kind.encode(.integer(bits & namedBits), to: &writer, field: name)
    }

    /// Returns the number with its unit, or its meaning.
    func describe(_ number: Int64) -> String {
        if let meaning = meanings[number] { return meaning }
        if kind.isBits { return describeBits(number) }
        return withUnit(scale.describe(number))
    }

    func withUnit(_ text: String) -> String { unit.isEmpty ? text : "\(text) \(unit)" }

    private func describeBits(_ number: Int64) -> String {
        let texts = parts.compactMap { $0.describe(number) }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }
}

/// The content of a field.
public enum FieldContent: Hashable, Sendable {
    /// An integer as it is encoded, before scaling, or the bits of a field of bits.
    case integer(Int64)
    /// Integers that fill the rest of the value, as they are encoded, before scaling.
    case list([Int64])
    /// A decimal floating-point number of IEEE 11073.
    case medfloat(MedicalNumber)
    /// A single-precision floating-point number.
    case float32(Float)
    /// A text.
    case text(String)
    /// A date with the time of day.
    case date(DateTime)
    /// Bytes without a layout.
    case bytes(Data)
}

/// A field with its content.
public struct FieldValue: Hashable, Sendable {
    /// The layout of the field.
    public let layout: FieldLayout
    /// The content of the field.
    public let content: FieldContent

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - layout: The layout of the field.
    ///   - content: The content of the field.
    public init(_ layout: FieldLayout, _ content: FieldContent) {
        self.layout = layout
        self.content = content
    }

    /// The number in the unit of the field; `nil` if the content is not a number, or is one with a
    /// special meaning, such as `not known`. A floating-point number can be infinite, and a
    /// ``FieldContent/float32(_:)`` can be NaN.
    public var number: Double? {
        guard layout.isNumeric else { return nil }
        switch content {
        case .integer(let number):
            return layout.meanings[number] == nil ? layout.scale.value(of: number) : nil
        case .medfloat(let number): return number.value.isNaN ? nil : number.value
        case .float32(let number): return Double(number)
        default: return nil
        }
    }

    /// The numbers of a field that repeats, in its unit; `nil` if the field does not repeat.
    public var numbers: [Double]? {
        guard case .list(let list) = content else { return nil }
        return list.map(layout.scale.value)
    }

    /// The content on one line with its unit. A text is in quotation marks, with escapes for
    /// characters that cannot be printed.
    public var text: String {
        switch content {
        case .integer(let number): layout.describe(number)
        case .list(let numbers):
            numbers.isEmpty ? "none" : numbers.map(layout.describe).joined(separator: ", ")
        case .medfloat(let number): layout.withUnit(number.description)
        case .float32(let number): layout.withUnit("\(number)")
        case .text(let text): String(reflecting: text)
        case .date(let date): date.description
        case .bytes(let data):
            data.isEmpty ? "empty" : data.hexadecimal
        }
    }
}
