// SPDX-License-Identifier: Apache-2.0

// The values of the Bluetooth SIG's characteristics as types, with the layouts of the GATT
// Specification Supplement. The module decodes data into values and encodes values into data, and
// uses neither a radio nor a framework for Bluetooth.

import Foundation

/// A typed value of a characteristic.
///
/// The types in this library are those of the Bluetooth SIG's characteristics, with the layouts of
/// the GATT Specification Supplement. Decoding refuses data without the defined layout: data that
/// is too short or too long, or that contains a reserved number. As the specification requires, it
/// ignores reserved bits of a flags field (Vol 1, Part E, 2.7), and encoding writes them as zero.
///
/// ```swift
/// let level = try await accessory.read(BatteryLevel.self)
/// for await measurement in try accessory.values(of: HeartRateMeasurement.self) {
///     print(measurement.rate)
/// }
/// ```
///
/// An app adds its own characteristics:
///
/// ```swift
/// struct LampColor: CharacteristicValue {
///     static let identifier: BluetoothID = "4C414E59-4152-4400-A000-000000001A02"
///     var red: UInt8, green: UInt8, blue: UInt8
///     var description: String { "\(red), \(green), \(blue)" }
///
///     init(from reader: inout ValueReader) throws(ValueError) {
///         red = try reader.readUInt8()
///         green = try reader.readUInt8()
///         blue = try reader.readUInt8()
///     }
///
///     func write(to writer: inout ValueWriter) { writer.write(red, green, blue) }
/// }
/// ```
public protocol CharacteristicValue: Hashable, Sendable, CustomStringConvertible {
    /// The UUID of the characteristic.
    static var identifier: BluetoothID { get }

    /// Decodes the value from the front of the remaining bytes. The initializer does not check
    /// whether bytes remain afterward.
    ///
    /// - Parameter reader: The reader of the bytes, which advances past the value.
    /// - Throws: ``ValueError/truncated(needed:available:)`` if too few bytes remain;
    ///   ``ValueError/invalid(field:)`` if a field contains a reserved value or one out of its
    ///   range.
    init(from reader: inout ValueReader) throws(ValueError)

    /// Encodes the value, so that decoding returns the same value.
    ///
    /// - Parameter writer: The writer to which the value appends its bytes.
    func write(to writer: inout ValueWriter)
}

extension CharacteristicValue {
    /// Decodes the value from all of the bytes.
    ///
    /// - Parameter data: The bytes of the value.
    /// - Throws: The errors of ``init(from:)``, and ``ValueError/trailing(count:)`` if bytes remain
    ///   after the value.
    public init(decoding data: Data) throws(ValueError) {
        var reader = ValueReader(data)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The encoded bytes. Decoding them returns the same value. They can differ from the bytes that
    /// the value was decoded from, for example if those were longer than necessary or had reserved
    /// bits set.
    public var encoded: Data {
        var writer = ValueWriter()
        write(to: &writer)
        return writer.data
    }
}

/// The reason why data is not a valid value.
public enum ValueError: Error, Hashable, Sendable {
    /// The data is too short; the numbers are in bytes.
    case truncated(needed: Int, available: Int)
    /// The data is too long by this many bytes.
    case trailing(count: Int)
    /// A field contains a reserved value, or one out of its range.
    case invalid(field: String)
}

extension ValueError: CustomStringConvertible {
    /// The error in words.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "truncated: \(needed) \(needed == 1 ? "byte" : "bytes") needed, \(available) available"
        case .trailing(let count): "\(count) \(count == 1 ? "byte" : "bytes") left over"
        case .invalid(let field): "invalid \(field)"
        }
    }
}
