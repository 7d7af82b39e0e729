// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temperature.
public struct Temperature: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A6E.
    public static let identifier: BluetoothID = "2A6E"

    /// The temperature in units of 0.01 °C, at least -27315; `nil` if the device does not know it.
    public let hundredths: Int16?

    /// Creates a temperature in units of 0.01 °C.
    ///
    /// - Parameter hundredths: The temperature in units of 0.01 °C, at least -27315; `nil` if the
    ///   device does not know the temperature.
    /// - Throws: ``ValueError/invalid(field:)`` if the temperature is below absolute zero.
    public init(hundredths: Int16?) throws(ValueError) {
        guard hundredths.map({ $0 >= -27315 }) ?? true else {
            throw .invalid(field: "Temperature")
        }
        self.hundredths = hundredths
    }

    /// The temperature in degrees Celsius; `nil` if the device does not know it.
    public var celsius: Double? { hundredths.map { Double($0) / 100 } }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let value = try reader.readInt16()
        try self.init(hundredths: value == .min ? nil : value)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(hundredths ?? .min) }

    /// The value with its unit.
    public var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " °C"
    }
}

/// A relative humidity.
public struct Humidity: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A6F.
    public static let identifier: BluetoothID = "2A6F"

    /// The humidity in units of 0.01 %, at most 10000; `nil` if the device does not know it.
    public let hundredths: UInt16?

    /// Creates a humidity in units of 0.01 %.
    ///
    /// - Parameter hundredths: The humidity in units of 0.01 %, at most 10000; `nil` if the device
    ///   does not know the humidity.
    /// - Throws: ``ValueError/invalid(field:)`` if the humidity is above 100 %.
    public init(hundredths: UInt16?) throws(ValueError) {
        guard hundredths.map({ $0 <= 10000 }) ?? true else { throw .invalid(field: "Humidity") }
        self.hundredths = hundredths
    }

    /// The humidity in percent; `nil` if the device does not know it.
    public var percentage: Double? { hundredths.map { Double($0) / 100 } }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let value = try reader.readUInt16()
        try self.init(hundredths: value == .max ? nil : value)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(hundredths ?? .max) }

    /// The value with its unit.
    public var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " %"
    }
}

/// A pressure, such as that of the air.
public struct Pressure: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A6D.
    public static let identifier: BluetoothID = "2A6D"

    /// The pressure in units of 0.1 Pa.
    public var tenths: UInt32

    /// Creates a pressure in units of 0.1 Pa.
    ///
    /// - Parameter tenths: The pressure in units of 0.1 Pa.
    public init(tenths: UInt32) {
        self.tenths = tenths
    }

    /// The pressure in pascals.
    public var pascals: Double { Double(tenths) / 10 }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        tenths = try reader.readUInt32()
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(tenths) }

    /// The value in hectopascals.
    public var description: String { DecimalText.describe(Int(tenths), exponent: -3) + " hPa" }
}
