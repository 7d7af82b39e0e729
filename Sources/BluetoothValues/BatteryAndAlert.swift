// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The charge of a battery.
public struct BatteryLevel: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A19.
    public static let identifier: BluetoothID = "2A19"

    /// The charge in percent, from 0 to 100.
    public let percentage: UInt8

    /// Creates a charge.
    ///
    /// - Parameter percentage: The charge in percent, from 0 to 100.
    /// - Throws: ``ValueError/invalid(field:)`` if the charge is above 100.
    public init(percentage: UInt8) throws(ValueError) {
        guard percentage <= 100 else { throw .invalid(field: "Battery Level") }
        self.percentage = percentage
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        try self.init(percentage: reader.readUInt8())
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(percentage) }

    /// The value with its unit.
    public var description: String { "\(percentage) %" }
}

/// The power with which a device transmits.
public struct TransmitPower: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A07.
    public static let identifier: BluetoothID = "2A07"

    /// The power in dBm, from -100 to 20.
    public let level: Int8

    /// Creates a power.
    ///
    /// - Parameter level: The power in dBm, from -100 to 20.
    /// - Throws: ``ValueError/invalid(field:)`` if the power is out of range.
    public init(level: Int8) throws(ValueError) {
        guard (-100...20).contains(level) else { throw .invalid(field: "Tx Power Level") }
        self.level = level
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        try self.init(level: reader.readInt8())
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(level) }

    /// The value with its unit.
    public var description: String { "\(level) dBm" }
}

/// The strength of an alert.
public enum AlertLevel: UInt8, CharacteristicValue, CaseIterable {
    /// No alert.
    case none
    /// A mild alert.
    case mild
    /// A high alert.
    case high

    /// The UUID of the characteristic, 0x2A06.
    public static let identifier: BluetoothID = "2A06"

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Alert Level")
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// The value in words.
    public var description: String {
        switch self {
        case .none: "no alert"
        case .mild: "mild alert"
        case .high: "high alert"
        }
    }
}
