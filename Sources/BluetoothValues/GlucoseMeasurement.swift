// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A blood glucose measurement, as a meter stores it.
public struct GlucoseMeasurement: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A18.
    public static let identifier: BluetoothID = "2A18"

    /// The unit of a concentration.
    public enum Unit: Hashable, Sendable {
        /// Kilograms per liter.
        case kilogramsPerLiter
        /// Moles per liter.
        case molesPerLiter
    }

    /// The fluid in which the glucose was measured.
    public enum Fluid: UInt8, Hashable, Sendable, CaseIterable {
        /// Capillary whole blood.
        case capillaryWholeBlood = 1
        /// Capillary plasma.
        case capillaryPlasma
        /// Venous whole blood.
        case venousWholeBlood
        /// Venous plasma.
        case venousPlasma
        /// Arterial whole blood.
        case arterialWholeBlood
        /// Arterial plasma.
        case arterialPlasma
        /// Whole blood of unknown origin.
        case undeterminedWholeBlood
        /// Plasma of unknown origin.
        case undeterminedPlasma
        /// Interstitial fluid.
        case interstitialFluid
        /// A control solution, which tests the meter.
        case controlSolution
    }

    /// The location of the sample on the body.
    public enum Location: UInt8, Hashable, Sendable, CaseIterable {
        /// A finger.
        case finger = 1
        /// An alternate site.
        case alternateSite
        /// An ear lobe.
        case earLobe
        /// None, because the sample is a control solution.
        case controlSolution
        /// The location is unknown.
        case notAvailable = 15
    }

    /// A glucose concentration with the fluid and the location of the sample, which always occur
    /// together.
    public struct Concentration: Hashable, Sendable {
        /// The amount of glucose.
        public var amount: ShortMedicalFloat
        /// The unit of the amount.
        public var unit: Unit
        /// The fluid.
        public var fluid: Fluid
        /// The location of the sample.
        public var location: Location

        /// Creates a concentration.
        ///
        /// - Parameters:
        ///   - amount: The amount of glucose, in the unit.
        ///   - unit: The unit of the amount.
        ///   - fluid: The fluid in which the glucose was measured.
        ///   - location: The location of the sample.
        public init(amount: ShortMedicalFloat, unit: Unit, fluid: Fluid, location: Location) {
            self.amount = amount
            self.unit = unit
            self.fluid = fluid
            self.location = location
        }
    }

    /// The number of the measurement, one greater than that of the previous measurement.
    public var sequenceNumber: UInt16
    /// The time on the meter's internal clock, which no user sets.
    public var baseTime: DateTime
    /// The minutes to be added to the base time, if they are present. -32768 means a number below
    /// the range, and 32767 one above it.
    public var timeOffset: Int16?
    /// The concentration, if it is present.
    public var concentration: Concentration?
    /// The status bits, for example about the battery, the strip and the sensor, if they are
    /// present.
    public var status: UInt16?
    /// Whether a Glucose Measurement Context with the same number follows.
    public var contextFollows: Bool

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - sequenceNumber: The number of the measurement.
    ///   - baseTime: The time on the meter's internal clock.
    ///   - timeOffset: The minutes to be added to the base time; `nil` if they are absent.
    ///   - concentration: The concentration; `nil` if it is absent.
    ///   - status: The status bits; `nil` if they are absent.
    ///   - contextFollows: Whether a Glucose Measurement Context with the same number follows.
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
        static let molesPerLiter = Flags(rawValue: 1 << 2)
        static let status = Flags(rawValue: 1 << 3)
        static let contextFollows = Flags(rawValue: 1 << 4)
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        sequenceNumber = try reader.readUInt16()
        baseTime = try DateTime(from: &reader)
        timeOffset = try flags.contains(.timeOffset) ? reader.readInt16() : nil
        let unit: Unit = flags.contains(.molesPerLiter) ? .molesPerLiter : .kilogramsPerLiter
        concentration =
            try flags.contains(.concentration) ? Concentration(from: &reader, unit: unit) : nil
        status = try flags.contains(.status) ? reader.readUInt16() : nil
        contextFollows = flags.contains(.contextFollows)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = contextFollows ? .contextFollows : []
        if timeOffset != nil { flags.insert(.timeOffset) }
        if concentration != nil { flags.insert(.concentration) }
        if concentration?.unit == .molesPerLiter { flags.insert(.molesPerLiter) }
        if status != nil { flags.insert(.status) }
        writer.write(flags.rawValue, sequenceNumber)
        baseTime.write(to: &writer)
        if let timeOffset { writer.write(timeOffset) }
        concentration?.write(to: &writer)
        if let status { writer.write(status) }
    }

    /// The value in one line.
    public var description: String {
        let amount = concentration.map { concentration in
            let unit = concentration.unit == .molesPerLiter ? "mol/L" : "kg/L"
            return "\(concentration.amount) \(unit)"
        }
        return ["number \(sequenceNumber)", amount, baseTime.description]
            .compactMap(\.self).joined(separator: ", ")
    }
}

/// The layout of a concentration: the amount, then a byte with the fluid in the lower half and the
/// location in the upper half.
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
