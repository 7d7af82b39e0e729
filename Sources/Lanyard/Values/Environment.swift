// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temperature.
public struct Temperature: CharacteristicValue {
    /// 0x2A6E.
    public static let identifier: BluetoothID = "2A6E"

    /// In units of 0.01 °C, not below -27315; nil if the device does not know it.
    public let hundredths: Int16?

    /// A temperature in units of 0.01 °C.
    /// - Throws: `invalid` if it is below the absolute zero.
    public init(hundredths: Int16?) throws(ValueError) {
        guard hundredths.map({ $0 >= -27315 }) ?? true else {
            throw .invalid(field: "Temperature")
        }
        self.hundredths = hundredths
    }

    /// In degrees; nil if the device does not know it.
    public var celsius: Double? { hundredths.map { Double($0) / 100 } }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let value = try reader.readInt16()
        try self.init(hundredths: value == .min ? nil : value)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(hundredths ?? .min) }

    /// With its unit.
    public var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " °C"
    }
}

/// A relative humidity.
public struct Humidity: CharacteristicValue {
    /// 0x2A6F.
    public static let identifier: BluetoothID = "2A6F"

    /// In units of 0.01 %, up to 10000; nil if the device does not know it.
    public let hundredths: UInt16?

    /// A humidity in units of 0.01 %.
    /// - Throws: `invalid` if it is more than all.
    public init(hundredths: UInt16?) throws(ValueError) {
        guard hundredths.map({ $0 <= 10000 }) ?? true else { throw .invalid(field: "Humidity") }
        self.hundredths = hundredths
    }

    /// In percent; nil if the device does not know it.
    public var percentage: Double? { hundredths.map { Double($0) / 100 } }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let value = try reader.readUInt16()
        try self.init(hundredths: value == .max ? nil : value)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(hundredths ?? .max) }

    /// With its unit.
    public var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " %"
    }
}

/// A pressure, as of the air.
public struct Pressure: CharacteristicValue {
    /// 0x2A6D.
    public static let identifier: BluetoothID = "2A6D"

    /// In units of 0.1 Pa.
    public var tenths: UInt32

    /// A pressure in units of 0.1 Pa.
    public init(tenths: UInt32) {
        self.tenths = tenths
    }

    /// In pascals.
    public var pascals: Double { Double(tenths) / 10 }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        tenths = try reader.readUInt32()
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(tenths) }

    /// In hectopascals.
    public var description: String { DecimalText.describe(Int(tenths), exponent: -3) + " hPa" }
}
