// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The charge of a battery.
public struct BatteryLevel: CharacteristicValue {
    /// 0x2A19.
    public static let identifier: BluetoothID = "2A19"

    /// From 0, empty, to 100.
    public let percentage: UInt8

    /// A charge.
    /// - Throws: `invalid` if it is above 100.
    public init(percentage: UInt8) throws(ValueError) {
        guard percentage <= 100 else { throw .invalid(field: "Battery Level") }
        self.percentage = percentage
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        try self.init(percentage: reader.readUInt8())
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(percentage) }

    /// With its unit.
    public var description: String { "\(percentage) %" }
}

/// The power with which a device transmits.
public struct TransmitPower: CharacteristicValue {
    /// 0x2A07.
    public static let identifier: BluetoothID = "2A07"

    /// In dBm, from -100 to 20.
    public let level: Int8

    /// A power.
    /// - Throws: `invalid` if it is out of its range.
    public init(level: Int8) throws(ValueError) {
        guard (-100...20).contains(level) else { throw .invalid(field: "Tx Power Level") }
        self.level = level
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        try self.init(level: reader.readInt8())
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(level) }

    /// With its unit.
    public var description: String { "\(level) dBm" }
}

/// How loudly a device should call for attention.
public enum AlertLevel: UInt8, CharacteristicValue, CaseIterable {
    /// Not at all.
    case none
    /// Mildly.
    case mild
    /// Loudly.
    case high

    /// 0x2A06.
    public static let identifier: BluetoothID = "2A06"

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Alert Level")
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// In words.
    public var description: String {
        switch self {
        case .none: "no alert"
        case .mild: "mild alert"
        case .high: "high alert"
        }
    }
}
