// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A measurement of a scale.
public struct WeightMeasurement: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A9D.
    public static let identifier: BluetoothID = "2A9D"

    /// The units of weight and height.
    public enum Units: Hashable, Sendable {
        /// Weight in units of 5 g, height in millimeters.
        case metric
        /// Weight in units of 0.01 lb, height in units of 0.1 in.
        case imperial
    }

    /// The body mass index and the height, which always occur together.
    public struct Body: Hashable, Sendable {
        /// The body mass index in units of 0.1 kg/m².
        public var massIndex: UInt16
        /// The height in millimeters, or in units of 0.1 in.
        public var height: UInt16

        /// Creates a pair.
        ///
        /// - Parameters:
        ///   - massIndex: The body mass index in units of 0.1 kg/m².
        ///   - height: The height in millimeters, or in units of 0.1 in.
        public init(massIndex: UInt16, height: UInt16) {
            self.massIndex = massIndex
            self.height = height
        }
    }

    /// The weight of a measurement that failed.
    public static let failed: UInt16 = 0xFFFF
    /// The user number of an unknown person.
    public static let unknownUser: UInt8 = 0xFF

    /// The weight, in the resolution of its units; see ``kilograms``.
    public var weight: UInt16
    /// The units of weight and height.
    public var units: Units
    /// The time of the measurement, if it is present.
    public var time: DateTime?
    /// The scale's number for the person, if it is present.
    public var user: UInt8?
    /// The body mass index and the height, if they are present.
    public var body: Body?

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - weight: The weight in units of 5 g or 0.01 lb; ``failed`` if the measurement failed.
    ///   - units: The units of weight and height.
    ///   - time: The time of the measurement; `nil` if it is absent.
    ///   - user: The scale's number for the person; `nil` if it is absent, ``unknownUser`` if the
    ///     person is unknown.
    ///   - body: The body mass index and the height; `nil` if they are absent.
    public init(
        weight: UInt16,
        units: Units = .metric,
        time: DateTime? = nil,
        user: UInt8? = nil,
        body: Body? = nil
    ) {
        self.weight = weight
        self.units = units
        self.time = time
        self.user = user
        self.body = body
    }

    /// The weight in kilograms, whatever the units; `nil` if the measurement failed.
    public var kilograms: Double? {
        guard weight != Self.failed else { return nil }
        return switch units {
        case .metric: Double(weight) * 5 / 1000
        case .imperial: Double(weight) / 100 * 0.45359237
        }
    }

    /// The height in meters, whatever the units; `nil` if it is absent.
    public var meters: Double? {
        guard let body else { return nil }
        return switch units {
        case .metric: Double(body.height) / 1000
        case .imperial: Double(body.height) * 0.0254 / 10
        }
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let imperial = Flags(rawValue: 1 << 0)
        static let time = Flags(rawValue: 1 << 1)
        static let user = Flags(rawValue: 1 << 2)
        static let body = Flags(rawValue: 1 << 3)
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        units = flags.contains(.imperial) ? .imperial : .metric
        weight = try reader.readUInt16()
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        user = try flags.contains(.user) ? reader.readUInt8() : nil
        body =
            try flags.contains(.body)
            ? Body(massIndex: reader.readUInt16(), height: reader.readUInt16()) : nil
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = units == .imperial ? .imperial : []
        if time != nil { flags.insert(.time) }
        if user != nil { flags.insert(.user) }
        if body != nil { flags.insert(.body) }
        writer.write(flags.rawValue, weight)
        time?.write(to: &writer)
        if let user { writer.write(user) }
        if let body { writer.write(body.massIndex, body.height) }
    }

    /// The value in one line.
    public var description: String {
        let parts: [String?] = [
            weightText, body.map(describe), user.map { "user \($0)" }, time?.description,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private var weightText: String {
        guard weight != Self.failed else { return "measurement failed" }
        return switch units {
        case .metric: DecimalText.describe(Int(weight) * 5, exponent: -3) + " kg"
        case .imperial: DecimalText.describe(Int(weight), exponent: -2) + " lb"
        }
    }

    private func describe(_ body: Body) -> String {
        let index = DecimalText.describe(Int(body.massIndex), exponent: -1)
        let height =
            switch units {
            case .metric: DecimalText.describe(Int(body.height), exponent: -3) + " m"
            case .imperial: DecimalText.describe(Int(body.height), exponent: -1) + " in"
            }
        return "body mass index \(index), height \(height)"
    }
}
