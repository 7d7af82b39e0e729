// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One measurement of the heart rate, and of the beats since the last one.
public struct HeartRateMeasurement: CharacteristicValue {
    /// 0x2A37.
    public static let identifier: BluetoothID = "2A37"

    /// In beats per minute.
    public var rate: UInt16
    /// Whether the sensor touches the skin; nil if it cannot tell.
    public var hasContact: Bool?
    /// In kilojoules since it was reset; nil if not in this measurement. It stays at 65535.
    public var energyExpended: UInt16?
    /// The times between beats, the oldest first.
    public var intervals: [BeatInterval]

    /// A measurement.
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

    /// Reads it.
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

    /// Writes it, the rate in one octet where that is enough.
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

    /// On one line.
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

/// The time between two beats of a heart, in units of 1/1024 s.
public struct BeatInterval: RawRepresentable, Hashable, Sendable {
    /// How many 1024ths of a second.
    public var rawValue: UInt16

    /// So many 1024ths of a second.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Exactly as long.
    public var duration: Duration { .seconds(1) * Int(rawValue) / 1024 }

    /// In milliseconds, rounded.
    public var milliseconds: Int { (Int(rawValue) * 1000 + 512) / 1024 }
}

/// Where a heart rate sensor is worn.
public enum BodySensorLocation: UInt8, CharacteristicValue, CaseIterable {
    /// Elsewhere.
    case other
    /// On the chest.
    case chest
    /// On a wrist.
    case wrist
    /// On a finger.
    case finger
    /// On a hand.
    case hand
    /// On an ear lobe.
    case earLobe
    /// On a foot.
    case foot

    /// 0x2A38.
    public static let identifier: BluetoothID = "2A38"

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Body Sensor Location")
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// In words.
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

/// What a heart rate sensor can be told.
public enum HeartRateControlPoint: UInt8, CharacteristicValue, CaseIterable {
    /// To count the energy expended from zero.
    case resetEnergyExpended = 1

    /// 0x2A39.
    public static let identifier: BluetoothID = "2A39"

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        self = try reader.readCase(Self.self, field: "Heart Rate Control Point")
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { writer.write(rawValue) }

    /// In words.
    public var description: String { "reset energy expended" }
}
