// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A heart rate measurement, with the intervals between the beats since the previous measurement.
public struct HeartRateMeasurement: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A37.
    public static let identifier: BluetoothID = "2A37"

    /// The heart rate in beats per minute.
    public var rate: UInt16
    /// Whether the sensor has contact with the skin; `nil` if the sensor cannot detect that.
    public var hasContact: Bool?
    /// The energy expended in kilojoules since the last reset, if it is present. It stops at its
    /// maximum, 65535.
    public var energyExpended: UInt16?
    /// The intervals between beats, oldest first.
    public var intervals: [BeatInterval]

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - rate: The heart rate in beats per minute.
    ///   - hasContact: Whether the sensor has contact with the skin; `nil` if the sensor cannot
    ///     detect that.
    ///   - energyExpended: The energy expended in kilojoules since the last reset; `nil` if it is
    ///     absent.
    ///   - intervals: The intervals between beats, oldest first.
    public init(
        rate: UInt16,
        hasContact: Bool? = nil,
        energyExpended: UInt16? = nil,
        intervals: [BeatInterval] = []
    ) {
        self.rate = rate
        self.hasContact = hasContact
        self.energyExpended = energyExpended
        self.intervals = intervals
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let rateIs16Bit = Flags(rawValue: 1 << 0)
        static let contactDetected = Flags(rawValue: 1 << 1)
        static let contactSupported = Flags(rawValue: 1 << 2)
        static let energyExpended = Flags(rawValue: 1 << 3)
        static let intervals = Flags(rawValue: 1 << 4)
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        rate =
            try flags.contains(.rateIs16Bit)
            ? reader.readUInt16() : UInt16(reader.readUInt8())
        hasContact = flags.contains(.contactSupported) ? flags.contains(.contactDetected) : nil
        energyExpended = try flags.contains(.energyExpended) ? reader.readUInt16() : nil
        intervals = []
        while flags.contains(.intervals), !reader.isAtEnd {
            intervals.append(BeatInterval(rawValue: try reader.readUInt16()))
        }
    }

    /// Encodes the value, with the rate in one byte if it fits.
    public func write(to writer: inout ValueWriter) {
        writer.write(flags.rawValue)
        if flags.contains(.rateIs16Bit) {
            writer.write(rate)
        } else {
            writer.write(UInt8(truncatingIfNeeded: rate))
        }
        if let energyExpended { writer.write(energyExpended) }
        for interval in intervals { writer.write(interval.rawValue) }
    }

    private var flags: Flags {
        var flags: Flags = []
        if rate > UInt8.max { flags.insert(.rateIs16Bit) }
        if let hasContact {
            flags.formUnion(
                hasContact ? [.contactSupported, .contactDetected] : .contactSupported
            )
        }
        if energyExpended != nil { flags.insert(.energyExpended) }
        if !intervals.isEmpty { flags.insert(.intervals) }
        return flags
    }

    /// The value in one line.
    public var description: String {
        var parts = ["\(rate) bpm"]
        if let hasContact { parts.append(hasContact ? "contact" : "no contact") }
        if let energyExpended { parts.append("\(energyExpended) kJ") }
        if !intervals.isEmpty {
            let texts = intervals.map { "\($0.milliseconds)" }
            parts.append("intervals \(texts.joined(separator: ", ")) ms")
        }
        return parts.joined(separator: ", ")
    }
}

/// The interval between two heartbeats, in units of 1/1024 s.
public struct BeatInterval: RawRepresentable, Hashable, Sendable {
    /// The number of units.
    public var rawValue: UInt16

    /// Creates an interval from its number of units.
    ///
    /// - Parameter rawValue: The number of units of 1/1024 s.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The exact duration.
    public var duration: Duration { .seconds(1) * Int(rawValue) / 1024 }

    /// The duration in milliseconds, rounded.
    public var milliseconds: Int { (Int(rawValue) * 1000 + 512) / 1024 }
}

/// The body location of a heart rate sensor.
public enum BodySensorLocation: UInt8, CharacteristicValue, CaseIterable {
    /// Another location.
    case other
    /// The chest.
    case chest
    /// A wrist.
    case wrist
    /// A finger.
    case finger
    /// A hand.
    case hand
    /// An ear lobe.
    case earLobe
    /// A foot.
    case foot

    /// The UUID of the characteristic, 0x2A38.
    public static let identifier: BluetoothID = "2A38"

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Body Sensor Location")
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// The value in words.
    public var description: String {
        switch self {
        case .other: "other"
        case .chest: "chest"
        case .wrist: "wrist"
        case .finger: "finger"
        case .hand: "hand"
        case .earLobe: "ear lobe"
        case .foot: "foot"
        }
    }
}

/// A command to a heart rate sensor.
public enum HeartRateControlPoint: UInt8, CharacteristicValue, CaseIterable {
    /// Reset the expended energy to zero.
    case resetEnergyExpended = 1

    /// The UUID of the characteristic, 0x2A39.
    public static let identifier: BluetoothID = "2A39"

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Heart Rate Control Point")
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// The value in words.
    public var description: String { "reset energy expended" }
}
