// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A blood pressure measurement.
public struct BloodPressureMeasurement: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A35.
    public static let identifier: BluetoothID = "2A35"

    /// The unit of a pressure.
    public enum Unit: Hashable, Sendable {
        /// Millimeters of mercury.
        case millimetersOfMercury
        /// Kilopascals.
        case kilopascals
    }

    /// The status of a measurement.
    public struct Status: OptionSet, Hashable, Sendable {
        /// The bits of the flags.
        public let rawValue: UInt16

        /// Creates flags from their bits.
        ///
        /// - Parameter rawValue: The bits of the flags.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The person moved.
        public static let bodyMovement = Status(rawValue: 1 << 0)
        /// The cuff was too loose.
        public static let cuffTooLoose = Status(rawValue: 1 << 1)
        /// The pulse was irregular.
        public static let irregularPulse = Status(rawValue: 1 << 2)
        /// The pulse was too fast to be measured.
        public static let pulseTooFast = Status(rawValue: 1 << 3)
        /// The pulse was too slow to be measured.
        public static let pulseTooSlow = Status(rawValue: 1 << 4)
        /// The measurement position was wrong.
        public static let improperPosition = Status(rawValue: 1 << 5)
    }

    /// The user number of an unknown person.
    public static let unknownUser: UInt8 = 0xFF

    /// The systolic pressure.
    public var systolic: ShortMedicalFloat
    /// The diastolic pressure.
    public var diastolic: ShortMedicalFloat
    /// The mean arterial pressure.
    public var meanArterial: ShortMedicalFloat
    /// The unit of the pressures.
    public var unit: Unit
    /// The time of the measurement, if it is present.
    public var time: DateTime?
    /// The pulse rate in beats per minute, if it is present.
    public var pulseRate: ShortMedicalFloat?
    /// The device's number for the person, if it is present.
    public var user: UInt8?
    /// The status of the measurement, if it is present.
    public var status: Status?

    /// Creates a measurement; all other properties are optional.
    ///
    /// - Parameters:
    ///   - systolic: The systolic pressure, in the unit.
    ///   - diastolic: The diastolic pressure, in the unit.
    ///   - meanArterial: The mean arterial pressure, in the unit.
    ///   - unit: The unit of the pressures.
    public init(
        systolic: ShortMedicalFloat,
        diastolic: ShortMedicalFloat,
        meanArterial: ShortMedicalFloat,
        unit: Unit = .millimetersOfMercury
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

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        unit = flags.contains(.kilopascals) ? .kilopascals : .millimetersOfMercury
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

    /// Encodes the value.
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

    /// The value in one line.
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

/// The cuff pressure during a blood pressure measurement. The field of the systolic pressure
/// contains it, and the other two pressures are ``MedicalNumber/notANumber``.
public struct IntermediateCuffPressure: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A36.
    public static let identifier: BluetoothID = "2A36"

    /// The current measurement.
    public var measurement: BloodPressureMeasurement

    /// Creates a value from the current measurement.
    ///
    /// - Parameter measurement: The measurement, with the cuff pressure as its systolic pressure.
    public init(_ measurement: BloodPressureMeasurement) {
        self.measurement = measurement
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        measurement = try BloodPressureMeasurement(from: &reader)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) { measurement.write(to: &writer) }

    /// The value in one line.
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

    /// The names of the flags, and the bits without a name; *normal* if there are none.
    public var description: String {
        let known = Self.words.filter { contains($0.0) }
        let rest = subtracting(Self(known.map(\.0)))
        let words = known.map(\.1) + (rest.isEmpty ? [] : ["bits \(rest.rawValue)"])
        return words.isEmpty ? "normal" : words.joined(separator: ", ")
    }
}
