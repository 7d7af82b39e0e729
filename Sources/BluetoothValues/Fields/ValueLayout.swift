// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The layout of a characteristic's value: its fields in their order, with units and special
/// values.
///
/// A layout decodes and encodes values, even of characteristics for which this library has no type.
/// It also describes values to a person. The layouts are those of the GATT Specification Supplement
/// and of the services' specifications.
///
/// ```swift
/// if let layout = ValueLayout(of: "2A6C") {
///     let fields = try layout.decode(data)
///     print(fields[0].number ?? 0, fields[0].layout.unit)
/// }
/// ```
public struct ValueLayout: Sendable {
    /// The UUID of the characteristic.
    public let characteristic: BluetoothID
    /// The fields in the order of their bytes. Fields of the same name exclude each other: their
    /// units or sizes differ.
    public let fields: [FieldLayout]
    /// The index of the field that decides which other fields are present: the flags, or the first
    /// field if there are no flags. In a CGM Measurement, the flags come after the size, so they
    /// are not the first field.
    let selectorIndex: Int

    /// Looks up the layout of a characteristic.
    ///
    /// - Parameter characteristic: The UUID of the characteristic.
    /// - Returns: The layout; `nil` if it is not known.
    public init?(of characteristic: BluetoothID) {
        guard let fields = FieldTable.shared.fields(of: characteristic.text) else { return nil }
        self.init(characteristic: characteristic, fields: fields)
    }

    init(characteristic: BluetoothID, fields: [FieldLayout]) {
        self.characteristic = characteristic
        self.fields = fields
        selectorIndex = fields.firstIndex { $0.kind.isPresenceFlags } ?? 0
    }

    /// Returns whether the layout of a characteristic is known.
    ///
    /// - Parameter characteristic: The UUID of the characteristic.
    /// - Returns: Whether there is a layout.
    public static func isKnown(_ characteristic: BluetoothID) -> Bool {
        FieldTable.shared.rows[characteristic.text] != nil
    }

    /// The characteristics with a known layout, in the order of their UUIDs.
    public static var characteristics: [BluetoothID] {
        FieldTable.shared.rows.keys.sorted().compactMap { BluetoothID($0) }
    }

    /// Decodes a value.
    ///
    /// - Parameter data: The bytes of the value.
    /// - Returns: The fields that are present, in the order of their bytes. Flags that only show
    ///   which fields are present are left out.
    /// - Throws: ``ValueError/truncated(needed:available:)``, ``ValueError/trailing(count:)``, or
    ///   ``ValueError/invalid(field:)`` if a field contains a reserved value.
    public func decode(_ data: Data) throws(ValueError) -> [FieldValue] {
        var reader = ValueReader(data)
        var values: [FieldValue] = []
        var selector: Int64 = 0
        for (index, field) in fields.enumerated()
        where field.condition.holds(selector, isAtEnd: reader.isAtEnd) {
            let content = try field.decode(from: &reader)
            if index == selectorIndex, case .integer(let number) = content { selector = number }
            if let shown = field.shown(content) { values.append(FieldValue(field, shown)) }
        }
        try reader.finish()
        return values
    }

    /// Encodes a value. The flags that show which fields are present follow from `values`.
    ///
    /// - Parameter values: The fields that are present, in any order.
    /// - Returns: The bytes of the value.
    /// - Throws: ``ValueError/invalid(field:)`` if a field is missing, given twice, excluded by
    ///   another field, not a part of this layout, or out of its range, or if its content has the
    ///   wrong type.
    public func encode(_ values: [FieldValue]) throws(ValueError) -> Data {
        var contents: [FieldLayout: FieldContent] = [:]
        for value in values {
            guard fields.contains(value.layout),
                contents.updateValue(value.content, forKey: value.layout) == nil
            else { throw .invalid(field: value.layout.name) }
        }
        let selector = try selector(of: contents)
        if fields[selectorIndex].kind.isPresenceFlags {
            contents[fields[selectorIndex]] = .integer(selector)
        }
        var writer = ValueWriter()
        var isAtEnd = false
        for field in fields {
            let content = contents[field]
            if field.condition == .ifBytesRemain {
                isAtEnd = isAtEnd || content == nil
                guard isAtEnd == (content == nil) else { throw .invalid(field: field.name) }
            } else if field.condition.holds(selector, isAtEnd: false) != (content != nil) {
                throw .invalid(field: field.name)
            }
            if let content { try field.encode(content, to: &writer) }
        }
        return writer.data
    }

    /// Returns the number for the field at `selectorIndex`. Flags are set so that the fields in
    /// `contents` are present and all other fields are absent.
    private func selector(of contents: [FieldLayout: FieldContent]) throws(ValueError) -> Int64 {
        let flags = fields[selectorIndex]
        var bits: Int64 = 0
        if case .integer(let number) = contents[flags] { bits = number }
        guard flags.kind.isPresenceFlags else { return bits }
        bits &= flags.namedBits
        for field in fields where contents[field] != nil { field.condition.require(in: &bits) }
        for field in fields where contents[field] == nil { field.condition.exclude(in: &bits) }
        return bits
    }

    /// Describes a value on one line.
    ///
    /// - Parameters:
    ///   - values: The fields of the value.
    ///   - text: The text of a field. By default it is ``FieldValue/text``.
    /// - Returns: The text of the field if the layout has only one; otherwise the texts of all
    ///   fields, each with its name. The text is `no fields` if `values` is empty.
    public func describe(
        _ values: [FieldValue],
        text: (FieldValue) -> String = { $0.text }
    ) -> String {
        guard let first = values.first else { return "no fields" }
        guard fields.count > 1 else { return text(first) }
        return values.map { "\($0.layout.name) \(text($0))" }.joined(separator: ", ")
    }
}
