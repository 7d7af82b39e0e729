// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The temperature of a body.
public struct TemperatureMeasurement: CharacteristicValue {
    /// 0x2A1C.
    public static let identifier: BluetoothID = "2A1C"

    /// What a temperature is measured in.
    public enum Unit: Hashable, Sendable {
        /// Degrees Celsius.
        case celsius
        /// Degrees Fahrenheit.
        case fahrenheit
    }

    /// How warm.
    public var temperature: MedicalFloat
    /// In these degrees.
    public var unit: Unit
    /// When; nil if not in this measurement.
    public var time: DateTime?
    /// Where; nil if not in this measurement.
    public var type: TemperatureType?

    /// A measurement.
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

    /// In degrees Celsius, whatever it was measured in; NaN if there is no number.
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

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        unit = flags.contains(.fahrenheit) ? .fahrenheit : .celsius
        temperature = try MedicalFloat(bits: reader.readUInt32(), field: "Temperature")
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        type = try flags.contains(.type) ? TemperatureType(from: &reader) : nil
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = unit == .fahrenheit ? .fahrenheit : []
        if time != nil { flags.insert(.time) }
        if type != nil { flags.insert(.type) }
        writer.write(flags.rawValue, temperature.bits)
        time?.write(to: &writer)
        type?.write(to: &writer)
    }

    /// On one line.
    public var description: String {
        let degrees = unit == .fahrenheit ? "°F" : "°C"
        let parts = ["\(temperature) \(degrees)", type?.description, time?.description]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

/// A temperature of a body while it is still being measured.
public struct IntermediateTemperature: CharacteristicValue {
    /// 0x2A1E.
    public static let identifier: BluetoothID = "2A1E"

    /// What has been measured so far.
    public var measurement: TemperatureMeasurement

    /// What has been measured so far.
    public init(_ measurement: TemperatureMeasurement) {
        self.measurement = measurement
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        measurement = try TemperatureMeasurement(from: &reader)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { measurement.write(to: &writer) }

    /// On one line.
    public var description: String { measurement.description }
}

/// Where a temperature is taken.
public enum TemperatureType: UInt8, CharacteristicValue, CaseIterable {
    /// Under an arm.
    case armpit = 1
    /// On the body.
    case body
    /// At an ear lobe.
    case ear
    /// On a finger.
    case finger
    /// Inside.
    case gastrointestinalTract
    /// In the mouth.
    case mouth
    /// In the rectum.
    case rectum
    /// On a toe.
    case toe
    /// At an ear drum.
    case tympanum

    /// 0x2A1D.
    public static let identifier: BluetoothID = "2A1D"

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Temperature Type")
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// In words.
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
