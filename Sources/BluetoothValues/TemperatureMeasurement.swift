// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A body temperature measurement.
public struct TemperatureMeasurement: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A1C.
    public static let identifier: BluetoothID = "2A1C"

    /// The unit of a temperature.
    public enum Unit: Hashable, Sendable {
        /// Degrees Celsius.
        case celsius
        /// Degrees Fahrenheit.
        case fahrenheit
    }

    /// The temperature.
    public var temperature: MedicalFloat
    /// The unit of the temperature.
    public var unit: Unit
    /// The time of the measurement, if it is present.
    public var time: DateTime?
    /// The location of the measurement, if it is present.
    public var type: TemperatureType?

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - temperature: The temperature, in the unit.
    ///   - unit: The unit of the temperature.
    ///   - time: The time of the measurement; `nil` if it is absent.
    ///   - type: The location of the measurement; `nil` if it is absent.
    public init(
        temperature: MedicalFloat,
        unit: Unit = .celsius,
        time: DateTime? = nil,
        type: TemperatureType? = nil
    ) {
        self.temperature = temperature
        self.unit = unit
        self.time = time
        self.type = type
    }

    /// The temperature in degrees Celsius, whatever its unit; NaN if it is not a number.
    public var celsius: Double {
        switch unit {
        case .celsius: temperature.value
        case .fahrenheit: (temperature.value - 32) / 1.8
        }
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let fahrenheit = Flags(rawValue: 1 << 0)
        static let time = Flags(rawValue: 1 << 1)
        static let type = Flags(rawValue: 1 << 2)
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        unit = flags.contains(.fahrenheit) ? .fahrenheit : .celsius
        temperature = try MedicalFloat(bits: reader.readUInt32(), field: "Temperature")
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        type = try flags.contains(.type) ? TemperatureType(from: &reader) : nil
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = unit == .fahrenheit ? .fahrenheit : []
        if time != nil { flags.insert(.time) }
        if type != nil { flags.insert(.type) }
        writer.write(flags.rawValue, temperature.bits)
        time?.write(to: &writer)
        type?.write(to: &writer)
    }

    /// The value in one line.
    public var description: String {
        let degrees = unit == .fahrenheit ? "°F" : "°C"
        let parts = ["\(temperature) \(degrees)", type?.description, time?.description]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

/// A body temperature during a measurement.
public struct IntermediateTemperature: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A1E.
    public static let identifier: BluetoothID = "2A1E"

    /// The current measurement.
    public var measurement: TemperatureMeasurement

    /// Creates a value from the current measurement.
    ///
    /// - Parameter measurement: The current measurement.
    public init(_ measurement: TemperatureMeasurement) {
        self.measurement = measurement
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        measurement = try TemperatureMeasurement(from: &reader)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { measurement.write(to: &writer) }

    /// The value in one line.
    public var description: String { measurement.description }
}

/// The location of a temperature measurement.
public enum TemperatureType: UInt8, CharacteristicValue, CaseIterable {
    /// An armpit.
    case armpit = 1
    /// The body in general.
    case body
    /// An ear lobe.
    case ear
    /// A finger.
    case finger
    /// The gastrointestinal tract.
    case gastrointestinalTract
    /// The mouth.
    case mouth
    /// The rectum.
    case rectum
    /// A toe.
    case toe
    /// An ear drum.
    case tympanum

    /// The UUID of the characteristic, 0x2A1D.
    public static let identifier: BluetoothID = "2A1D"

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Temperature Type")
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// The value in words.
    public var description: String {
        switch self {
        case .armpit: "armpit"
        case .body: "body"
        case .ear: "ear"
        case .finger: "finger"
        case .gastrointestinalTract: "gastrointestinal tract"
        case .mouth: "mouth"
        case .rectum: "rectum"
        case .toe: "toe"
        case .tympanum: "ear drum"
        }
    }
}
