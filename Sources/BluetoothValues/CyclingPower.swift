// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A measurement of a cycling power meter.
public struct CyclingPower: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A63.
    public static let identifier: BluetoothID = "2A63"

    /// The share of one pedal in the power.
    public struct PedalBalance: Hashable, Sendable {
        /// The share in units of 0.5 %.
        public var share: UInt8
        /// Whether the share is that of the left pedal; otherwise the pedal is unknown.
        public var isLeft: Bool

        /// Creates a balance.
        ///
        /// - Parameters:
        ///   - share: The share in units of 0.5 %.
        ///   - isLeft: Whether the share is that of the left pedal; otherwise the pedal is unknown.
        public init(share: UInt8, isLeft: Bool) {
            self.share = share
            self.isLeft = isLeft
        }
    }

    /// The accumulated torque of all revolutions.
    public struct Torque: Hashable, Sendable {
        /// The torque in units of 1/32 N·m, modulo 65536.
        public var accumulated: UInt16
        /// Whether the torque was measured at the cranks; `false` for the wheel.
        public var isAtCrank: Bool

        /// Creates a torque.
        ///
        /// - Parameters:
        ///   - accumulated: The torque in units of 1/32 N·m, modulo 65536.
        ///   - isAtCrank: Whether the torque was measured at the cranks; `false` for the wheel.
        public init(accumulated: UInt16, isAtCrank: Bool) {
            self.accumulated = accumulated
            self.isAtCrank = isAtCrank
        }
    }

    /// The maximum and minimum within a revolution.
    public struct Extremes: Hashable, Sendable {
        /// The maximum.
        public var maximum: Int16
        /// The minimum.
        public var minimum: Int16

        /// Creates a pair.
        ///
        /// - Parameters:
        ///   - maximum: The maximum, in newtons for a force and in units of 1/32 N·m for a torque.
        ///   - minimum: The minimum, in the same unit.
        public init(maximum: Int16, minimum: Int16) {
            self.maximum = maximum
            self.minimum = minimum
        }
    }

    /// The angles within a revolution at which the force or torque has its maximum and its minimum,
    /// in degrees.
    public struct Angles: Hashable, Sendable {
        /// The angle of the maximum, below 4096.
        public let maximum: UInt16
        /// The angle of the minimum, below 4096.
        public let minimum: UInt16

        /// Creates a pair of angles.
        ///
        /// - Parameters:
        ///   - maximum: The angle of the maximum in degrees, below 4096.
        ///   - minimum: The angle of the minimum in degrees, below 4096.
        /// - Throws: ``ValueError/invalid(field:)`` if an angle does not fit in 12 bits.
        public init(maximum: UInt16, minimum: UInt16) throws(ValueError) {
            guard maximum < 4096, minimum < 4096 else { throw .invalid(field: "Extreme Angles") }
            self.maximum = maximum
            self.minimum = minimum
        }
    }

    /// The power in watts; negative for backward pedaling.
    public var power: Int16
    /// The balance of the pedals. This and the optional values below are `nil` if they are absent.
    public var balance: PedalBalance?
    /// The accumulated torque.
    public var torque: Torque?
    /// The revolutions of a wheel.
    public var wheel: WheelRevolutions?
    /// The revolutions of the cranks.
    public var crank: CrankRevolutions?
    /// The extremes of the force, in newtons.
    public var extremeForce: Extremes?
    /// The extremes of the torque, in units of 1/32 N·m.
    public var extremeTorque: Extremes?
    /// The angles of the extremes.
    public var extremeAngles: Angles?
    /// The angle of the top dead spot, where the force is least, in degrees.
    public var topDeadSpot: UInt16?
    /// The angle of the bottom dead spot, where the force is least, in degrees.
    public var bottomDeadSpot: UInt16?
    /// The energy in kilojoules since the last reset.
    public var energy: UInt16?
    /// Whether the meter compensates for its zero offset.
    public var isOffsetCompensated = false

    /// Creates a measurement; all other properties are optional.
    ///
    /// - Parameter power: The power in watts; negative for backward pedaling.
    public init(power: Int16) {
        self.power = power
    }

    /// The value in one line.
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

/// The layout of a power measurement.
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

    /// Decodes the value.
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

    /// Encodes the value.
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

/// The layout of the angles: two numbers of 12 bits in three bytes, the maximum in the low bits.
extension CyclingPower.Angles {
    init(from reader: inout ValueReader) throws(ValueError) {
        let both = try reader.readInteger(bytes: 3)
        maximum = UInt16(truncatingIfNeeded: both & 0xFFF)
        minimum = UInt16(truncatingIfNeeded: both >> 12)
    }

    func write(to writer: inout ValueWriter) {
        writer.write(UInt64(minimum) << 12 | UInt64(maximum), bytes: 3)
    }
}

extension CyclingPower {
    /// The revolutions of a wheel and the time of the last one, with twice the resolution of
    /// ``CyclingSpeedAndCadence``.
    public struct WheelRevolutions: Hashable, Sendable {
        /// The number of revolutions.
        public var count: UInt32
        /// The time of the last revolution in units of 1/2048 s, modulo 32 s.
        public var time: UInt16

        /// Creates a count with the time of the last revolution.
        ///
        /// - Parameters:
        ///   - count: The number of revolutions.
        ///   - time: The time of the last revolution in units of 1/2048 s, modulo 32 s.
        public init(count: UInt32, time: UInt16) {
            self.count = count
            self.time = time
        }

        init(from reader: inout ValueReader) throws(ValueError) {
            count = try reader.readUInt32()
            time = try reader.readUInt16()
        }

        func write(to writer: inout ValueWriter) { writer.write(count, time) }

        /// Returns the revolutions per second since an earlier measurement; `nil` if the time of
        /// the last revolution did not change. The result is negative if the count decreased.
        ///
        /// - Parameter earlier: The earlier measurement. Its last revolution was less than 32 s
        ///   before that of this measurement; otherwise the result is wrong.
        public func perSecond(since earlier: Self) -> Double? {
            wheelRevolutionsPerSecond(
                (count, time),
                since: (earlier.count, earlier.time),
                ticksPerSecond: 2048
            )
        }
    }
}
