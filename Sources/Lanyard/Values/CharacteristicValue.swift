// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The value of a characteristic as a type of its own, instead of octets.
///
/// The types here are those of the Bluetooth SIG's characteristics, as the GATT Specification Supplement
/// lays them out. What has not the defined layout is refused and not guessed at: a value that is too short
/// or too long, or holds a number that is reserved. Bits of a flags field that are reserved are ignored, as
/// the specification asks (Vol 1, Part E, 2.7), and written as zero.
///
/// ```swift
/// let level = try await accessory.read(BatteryLevel.self)
/// for await measurement in accessory.values(of: HeartRateMeasurement.self) { print(measurement.rate) }
/// ```
///
/// An application adds characteristics of its own:
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
    /// The characteristic that has such values.
    static var identifier: BluetoothID { get }

    /// Reads the value off the front of what is left; whether anything is left over then is not its
    /// business.
    /// - Throws: if there is no such value.
    init(from reader: inout ValueReader) throws(ValueError)

    /// Writes the octets that a reader makes the same value of.
    func write(to writer: inout ValueWriter)
}

extension CharacteristicValue {
    /// The value that is all of these octets.
    /// - Throws: if they are not the octets of such a value.
    public init(decoding data: Data) throws(ValueError) {
        var reader = ValueReader(data)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The octets of the value. Decoded, they are the same value again; they are not always those that
    /// it was decoded from, where those used more octets than needed or set reserved bits.
    public var encoded: Data {
        var writer = ValueWriter()
        write(to: &writer)
        return writer.data
    }
}

/// Why octets are no value.
public enum ValueError: Error, Hashable, Sendable {
    /// More octets were needed than there are.
    case truncated(needed: Int, available: Int)
    /// The value was complete, and octets were left over.
    case trailing(count: Int)
    /// A field holds what it may not: something reserved, or out of its range.
    case invalid(field: String)
}

extension ValueError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "truncated: \(needed) bytes needed, \(available) available"
        case .trailing(let count): "\(count) bytes left over"
        case .invalid(let field): "invalid \(field)"
        }
    }
}
