// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One measurement of the blood pressure.
public struct BloodPressureMeasurement: CharacteristicValue {
    /// 0x2A35.
    public static let identifier: BluetoothID = "2A35"

    /// What a pressure is measured in.
    public enum Unit: Hashable, Sendable {
        /// Millimetres of mercury.
        case millimetresOfMercury
        /// Kilopascals.
        case kilopascals
    }

    /// How the measurement went.
    public struct Status: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16

        /// These bits.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The person moved.
        public static let bodyMovement = Status(rawValue: 1 << 0)
        /// The cuff was too loose.
        public static let cuffTooLoose = Status(rawValue: 1 << 1)
        /// The pulse was irregular.
        public static let irregularPulse = Status(rawValue: 1 << 2)
        /// The pulse was faster than can be measured.
        public static let pulseTooFast = Status(rawValue: 1 << 3)
        /// The pulse was slower than can be measured.
        public static let pulseTooSlow = Status(rawValue: 1 << 4)
        /// It was measured in the wrong position.
        public static let improperPosition = Status(rawValue: 1 << 5)
    }

    /// The number of a person whom the device does not know.
    public static let unknownUser: UInt8 = 0xFF

    /// The upper pressure.
    public var systolic: ShortMedicalFloat
    /// The lower pressure.
    public var diastolic: ShortMedicalFloat
    /// The mean of both over a beat.
    public var meanArterial: ShortMedicalFloat
    /// In these units.
    public var unit: Unit
    /// When; nil if not in this measurement.
    public var time: DateTime?
    /// In beats per minute; nil if not in this measurement.
    public var pulseRate: ShortMedicalFloat?
    /// Of whom, by the device's numbers; nil if not in this measurement.
    public var user: UInt8?
    /// How it went; nil if not in this measurement.
    public var status: Status?

    /// A measurement; what else is in it can be set afterwards.
    public init(
        systolic: ShortMedicalFloat,
        diastolic: ShortMedicalFloat,
        meanArterial: ShortMedicalFloat,
        unit: Unit = .millimetresOfMercury
    ) {
        self.systolic = systolic
        self.diastolic = diastolic
        self.meanArterial = meanArterial
        self.unit = unit
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let kilopascals = Flags(rawValue: 1 << 0)
        static let time = Flags(rawValue: 1 << 1)
        static let pulseRate = Flags(rawValue: 1 << 2)
        static let user = Flags(rawValue: 1 << 3)
        static let status = Flags(rawValue: 1 << 4)
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        unit = flags.contains(.kilopascals) ? .kilopascals : .millimetresOfMercury
        systolic = try ShortMedicalFloat(bits: reader.readUInt16(), field: "Systolic")
        diastolic = try ShortMedicalFloat(bits: reader.readUInt16(), field: "Diastolic")
        meanArterial = try ShortMedicalFloat(
            bits: reader.readUInt16(),
            field: "Mean Arterial Pressure"
        )
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        pulseRate =
            try flags.contains(.pulseRate)
            ? ShortMedicalFloat(bits: reader.readUInt16(), field: "Pulse Rate") : nil
        user = try flags.contains(.user) ? reader.readUInt8() : nil
        status = try flags.contains(.status) ? Status(rawValue: reader.readUInt16()) : nil
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(flags.rawValue, systolic.bits, diastolic.bits, meanArterial.bits)
        time?.write(to: &writer)
        if let pulseRate { writer.write(pulseRate.bits) }
        if let user { writer.write(user) }
        if let status { writer.write(status.rawValue) }
    }

    private var flags: Flags {
        var flags: Flags = unit == .kilopascals ? .kilopascals : []
        if time != nil { flags.insert(.time) }
        if pulseRate != nil { flags.insert(.pulseRate) }
        if user != nil { flags.insert(.user) }
        if status != nil { flags.insert(.status) }
        return flags
    }

    /// On one line.
    public var description: String {
        let unit = unit == .kilopascals ? "kPa" : "mmHg"
        let parts: [String?] = [
            "\(systolic)/\(diastolic) \(unit)", "mean \(meanArterial) \(unit)",
            pulseRate.map { "\($0) bpm" }, user.map { "user \($0)" }, time?.description,
            status.flatMap { $0.isEmpty ? nil : "\($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

/// The pressure in the cuff while the blood pressure is still being measured, in the field for the systolic
/// one; the other two are no numbers.
public struct IntermediateCuffPressure: CharacteristicValue {
    /// 0x2A36.
    public static let identifier: BluetoothID = "2A36"

    /// What has been measured so far.
    public var measurement: BloodPressureMeasurement

    /// What has been measured so far.
    public init(_ measurement: BloodPressureMeasurement) {
        self.measurement = measurement
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        measurement = try BloodPressureMeasurement(from: &reader)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) { measurement.write(to: &writer) }

    /// On one line.
    public var description: String { measurement.description }
}

extension BloodPressureMeasurement.Status: CustomStringConvertible {
    private static let words: [(Self, String)] = [
        (.bodyMovement, "the person moved"),
        (.cuffTooLoose, "cuff too loose"),
        (.irregularPulse, "irregular pulse"),
        (.pulseTooFast, "pulse too fast"),
        (.pulseTooSlow, "pulse too slow"),
        (.improperPosition, "wrong position"),
    ]

    /// What was found, one after the other, with the bits that have no name; *as it should be* if nothing.
    public var description: String {
        let known = Self.words.filter { contains($0.0) }
        let rest = subtracting(Self(known.map(\.0)))
        let words = known.map(\.1) + (rest.isEmpty ? [] : ["bits \(rest.rawValue)"])
        return words.isEmpty ? "as it should be" : words.joined(separator: ", ")
    }
}
