// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One measurement of the glucose in blood, as a meter keeps it.
public struct GlucoseMeasurement: CharacteristicValue {
    /// 0x2A18.
    public static let identifier: BluetoothID = "2A18"

    /// What a concentration is measured in.
    public enum Unit: Hashable, Sendable {
        /// Kilograms per litre.
        case kilogramsPerLitre
        /// Moles per litre.
        case molesPerLitre
    }

    /// What was measured in.
    public enum Fluid: UInt8, Hashable, Sendable, CaseIterable {
        /// Whole blood of capillaries.
        case capillaryWholeBlood = 1
        /// Plasma of capillaries.
        case capillaryPlasma
        /// Whole blood of veins.
        case venousWholeBlood
        /// Plasma of veins.
        case venousPlasma
        /// Whole blood of arteries.
        case arterialWholeBlood
        /// Plasma of arteries.
        case arterialPlasma
        /// Whole blood from somewhere.
        case undeterminedWholeBlood
        /// Plasma from somewhere.
        case undeterminedPlasma
        /// The fluid between cells.
        case interstitialFluid
        /// A solution that tests the meter.
        case controlSolution
    }

    /// Where it was taken.
    public enum Location: UInt8, Hashable, Sendable, CaseIterable {
        /// A finger.
        case finger = 1
        /// Another site that is usual.
        case alternateSite
        /// An ear lobe.
        case earLobe
        /// None: a solution that tests the meter.
        case controlSolution
        /// Not known.
        case notAvailable = 15
    }

    /// How much glucose, in what, from where: they come together.
    public struct Concentration: Hashable, Sendable {
        /// How much.
        public var amount: ShortMedicalFloat
        /// In these units.
        public var unit: Unit
        /// In what.
        public var fluid: Fluid
        /// From where.
        public var location: Location

        /// All four.
        public init(amount: ShortMedicalFloat, unit: Unit, fluid: Fluid, location: Location) {
            self.amount = amount
            self.unit = unit
            self.fluid = fluid
            self.location = location
        }
    }

    /// Each measurement has the number behind that of the one before.
    public var sequenceNumber: UInt16
    /// When, by a clock that nobody sets.
    public var baseTime: DateTime
    /// Minutes to be added to that; nil if not in this measurement. -32768 and 32767 stand for anything
    /// beyond.
    public var timeOffset: Int16?
    /// Nil if not in this measurement.
    public var concentration: Concentration?
    /// Bits about how it went: the battery, the strip, the sensor; nil if not in this measurement.
    public var status: UInt16?
    /// Whether a Glucose Measurement Context of the same number follows.
    public var contextFollows: Bool

    /// A measurement.
    public init(
        sequenceNumber: UInt16,
        baseTime: DateTime,
        timeOffset: Int16? = nil,
        concentration: Concentration? = nil,
        status: UInt16? = nil,
        contextFollows: Bool = false
    ) {
        self.sequenceNumber = sequenceNumber
        self.baseTime = baseTime
        self.timeOffset = timeOffset
        self.concentration = concentration
        self.status = status
        self.contextFollows = contextFollows
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let timeOffset = Flags(rawValue: 1 << 0)
        static let concentration = Flags(rawValue: 1 << 1)
        static let molesPerLitre = Flags(rawValue: 1 << 2)
        static let status = Flags(rawValue: 1 << 3)
        static let contextFollows = Flags(rawValue: 1 << 4)
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        sequenceNumber = try reader.readUInt16()
        baseTime = try DateTime(from: &reader)
        timeOffset = try flags.contains(.timeOffset) ? reader.readInt16() : nil
        let unit: Unit = flags.contains(.molesPerLitre) ? .molesPerLitre : .kilogramsPerLitre
        concentration =
            try flags.contains(.concentration) ? Concentration(from: &reader, unit: unit) : nil
        status = try flags.contains(.status) ? reader.readUInt16() : nil
        contextFollows = flags.contains(.contextFollows)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = contextFollows ? .contextFollows : []
        if timeOffset != nil { flags.insert(.timeOffset) }
        if concentration != nil { flags.insert(.concentration) }
        if concentration?.unit == .molesPerLitre { flags.insert(.molesPerLitre) }
        if status != nil { flags.insert(.status) }
        writer.write(flags.rawValue, sequenceNumber)
        baseTime.write(to: &writer)
        if let timeOffset { writer.write(timeOffset) }
        concentration?.write(to: &writer)
        if let status { writer.write(status) }
    }

    /// On one line.
    public var description: String {
        let amount = concentration.map { concentration in
            let unit = concentration.unit == .molesPerLitre ? "mol/L" : "kg/L"
            return "\(concentration.amount) \(unit)"
        }
        return ["number \(sequenceNumber)", amount, baseTime.description]
            .compactMap(\.self).joined(separator: ", ")
    }
}

/// The number, and behind it an octet whose low half says in what, and whose high half from where.
extension GlucoseMeasurement.Concentration {
    init(from reader: inout ValueReader, unit: GlucoseMeasurement.Unit) throws(ValueError) {
        amount = try ShortMedicalFloat(bits: reader.readUInt16(), field: "Glucose Concentration")
        self.unit = unit
        let both = try reader.readUInt8()
        guard let fluid = GlucoseMeasurement.Fluid(rawValue: both & 0xF) else {
            throw .invalid(field: "Type")
        }
        guard let location = GlucoseMeasurement.Location(rawValue: both >> 4) else {
            throw .invalid(field: "Sample Location")
        }
        self.fluid = fluid
        self.location = location
    }

    func write(to writer: inout ValueWriter) {
        writer.write(amount.bits, location.rawValue << 4 | fluid.rawValue)
    }
}
