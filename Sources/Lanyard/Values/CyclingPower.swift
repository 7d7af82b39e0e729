// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a power meter on a bicycle measured.
public struct CyclingPower: CharacteristicValue {
    /// 0x2A63.
    public static let identifier: BluetoothID = "2A63"

    /// How much of the power one pedal gives.
    public struct PedalBalance: Hashable, Sendable {
        /// In units of half a percent.
        public var share: UInt8
        /// Whether it is the left pedal; else it is not known which.
        public var isLeft: Bool

        /// So much, of that pedal.
        public init(share: UInt8, isLeft: Bool) {
            self.share = share
            self.isLeft = isLeft
        }
    }

    /// The torque of all turns together.
    public struct Torque: Hashable, Sendable {
        /// In units of 1/32 N·m; it begins again at zero.
        public var accumulated: UInt16
        /// Whether it was measured at the cranks; else at the wheel.
        public var isAtCrank: Bool

        /// So much, measured there.
        public init(accumulated: UInt16, isAtCrank: Bool) {
            self.accumulated = accumulated
            self.isAtCrank = isAtCrank
        }
    }

    /// The greatest and the least within a turn.
    public struct Extremes: Hashable, Sendable {
        /// The greatest.
        public var maximum: Int16
        /// The least.
        public var minimum: Int16

        /// Both.
        public init(maximum: Int16, minimum: Int16) {
            self.maximum = maximum
            self.minimum = minimum
        }
    }

    /// Where within a turn the extremes were, in degrees.
    public struct Angles: Hashable, Sendable {
        /// Of the greatest, below 4096.
        public let maximum: UInt16
        /// Of the least, below 4096.
        public let minimum: UInt16

        /// Both.
        /// - Throws: `invalid` if one does not fit into its 12 bits.
        public init(maximum: UInt16, minimum: UInt16) throws(ValueError) {
            guard maximum < 4096, minimum < 4096 else { throw .invalid(field: "Extreme Angles") }
            self.maximum = maximum
            self.minimum = minimum
        }
    }

    /// In watts; below zero when pedalling backwards.
    public var power: Int16
    /// Nil, as everything below, if not in this measurement.
    public var balance: PedalBalance?
    /// The torque.
    public var torque: Torque?
    /// The turns of a wheel.
    public var wheel: WheelRevolutions?
    /// The turns of the cranks.
    public var crank: CrankRevolutions?
    /// The extremes of the force, in newtons.
    public var extremeForce: Extremes?
    /// The extremes of the torque, in units of 1/32 N·m.
    public var extremeTorque: Extremes?
    /// Where either was.
    public var extremeAngles: Angles?
    /// Where the force is least at the top, in degrees.
    public var topDeadSpot: UInt16?
    /// Where the force is least at the bottom, in degrees.
    public var bottomDeadSpot: UInt16?
    /// In kilojoules since it was reset.
    public var energy: UInt16?
    /// Whether the meter allows for the offset of its zero.
    public var isOffsetCompensated = false

    /// A measurement; what else is in it can be set afterwards.
    public init(power: Int16) {
        self.power = power
    }

    /// On one line.
    public var description: String {
        let parts: [String?] = [
            "\(power) W",
            balance.map { "\(DecimalText.describe(Int($0.share) * 5, exponent: -1)) %" },
            wheel.map { "wheel \($0.count) revolutions" },
            crank.map { "crank \($0.count) revolutions" },
            energy.map { "\($0) kJ" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

/// How a measurement of power is laid out.
extension CyclingPower {
    private struct Flags: OptionSet {
        let rawValue: UInt16
        static let balance = Flags(rawValue: 1 << 0)
        static let balanceIsLeft = Flags(rawValue: 1 << 1)
        static let torque = Flags(rawValue: 1 << 2)
        static let torqueIsAtCrank = Flags(rawValue: 1 << 3)
        static let wheel = Flags(rawValue: 1 << 4)
        static let crank = Flags(rawValue: 1 << 5)
        static let extremeForce = Flags(rawValue: 1 << 6)
        static let extremeTorque = Flags(rawValue: 1 << 7)
        static let extremeAngles = Flags(rawValue: 1 << 8)
        static let topDeadSpot = Flags(rawValue: 1 << 9)
        static let bottomDeadSpot = Flags(rawValue: 1 << 10)
        static let energy = Flags(rawValue: 1 << 11)
        static let offsetCompensated = Flags(rawValue: 1 << 12)
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt16())
        power = try reader.readInt16()
        if flags.contains(.balance) {
            balance = PedalBalance(
                share: try reader.readUInt8(),
                isLeft: flags.contains(.balanceIsLeft)
            )
        }
        if flags.contains(.torque) {
            torque = Torque(
                accumulated: try reader.readUInt16(),
                isAtCrank: flags.contains(.torqueIsAtCrank)
            )
        }
        wheel = try flags.contains(.wheel) ? WheelRevolutions(from: &reader) : nil
        crank = try flags.contains(.crank) ? CrankRevolutions(from: &reader) : nil
        extremeForce = try flags.contains(.extremeForce) ? Extremes(from: &reader) : nil
        extremeTorque = try flags.contains(.extremeTorque) ? Extremes(from: &reader) : nil
        extremeAngles = try flags.contains(.extremeAngles) ? Angles(from: &reader) : nil
        topDeadSpot = try flags.contains(.topDeadSpot) ? reader.readUInt16() : nil
        bottomDeadSpot = try flags.contains(.bottomDeadSpot) ? reader.readUInt16() : nil
        energy = try flags.contains(.energy) ? reader.readUInt16() : nil
        isOffsetCompensated = flags.contains(.offsetCompensated)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(flags.rawValue, power)
        if let balance { writer.write(balance.share) }
        if let torque { writer.write(torque.accumulated) }
        wheel?.write(to: &writer)
        crank?.write(to: &writer)
        if let extremeForce { writer.write(extremeForce.maximum, extremeForce.minimum) }
        if let extremeTorque { writer.write(extremeTorque.maximum, extremeTorque.minimum) }
        extremeAngles?.write(to: &writer)
        if let topDeadSpot { writer.write(topDeadSpot) }
        if let bottomDeadSpot { writer.write(bottomDeadSpot) }
        if let energy { writer.write(energy) }
    }

    private var flags: Flags {
        let present: [(Flags, Bool)] = [
            (.balance, balance != nil), (.balanceIsLeft, balance?.isLeft ?? false),
            (.torque, torque != nil), (.torqueIsAtCrank, torque?.isAtCrank ?? false),
            (.wheel, wheel != nil), (.crank, crank != nil),
            (.extremeForce, extremeForce != nil), (.extremeTorque, extremeTorque != nil),
            (.extremeAngles, extremeAngles != nil), (.topDeadSpot, topDeadSpot != nil),
            (.bottomDeadSpot, bottomDeadSpot != nil), (.energy, energy != nil),
            (.offsetCompensated, isOffsetCompensated),
        ]
        return present.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    }
}

extension CyclingPower.Extremes {
    init(from reader: inout ValueReader) throws(ValueError) {
        maximum = try reader.readInt16()
        minimum = try reader.readInt16()
    }
}

/// Two numbers of 12 bits in three octets, the greatest in the low ones.
extension CyclingPower.Angles {
    init(from reader: inout ValueReader) throws(ValueError) {
        let both = try reader.readInteger(octets: 3)
        maximum = UInt16(truncatingIfNeeded: both & 0xFFF)
        minimum = UInt16(truncatingIfNeeded: both >> 12)
    }

    func write(to writer: inout ValueWriter) {
        writer.write(UInt64(minimum) << 12 | UInt64(maximum), octets: 3)
    }
}

extension CyclingPower {
    /// How often a wheel has turned, and when it last did: twice as exact as in
    /// `CyclingSpeedAndCadence`.
    public struct WheelRevolutions: Hashable, Sendable {
        /// So many times.
        public var count: UInt32
        /// In units of 1/2048 s. It begins again at zero after 32 s.
        public var time: UInt16

        /// So many turns, the last one then.
        public init(count: UInt32, time: UInt16) {
            self.count = count
            self.time = time
        }

        init(from reader: inout ValueReader) throws(ValueError) {
            count = try reader.readUInt32()
            time = try reader.readUInt16()
        }

        func write(to writer: inout ValueWriter) { writer.write(count, time) }

        /// Turns per second since an earlier measurement; nil if none happened since then. Negative
        /// where the count went down.
        public func perSecond(since earlier: Self) -> Double? {
            wheelTurns((count, time), since: (earlier.count, earlier.time), ticksPerSecond: 2048)
        }
    }
}
