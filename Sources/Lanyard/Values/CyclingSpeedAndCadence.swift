// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a sensor on a bicycle counted. Two measurements say how fast it goes:
///
/// ```swift
/// if let wheel = measurement.wheel, let turns = wheel.perSecond(since: lastWheel) {
///     speed = turns * circumference
/// }
/// ```
public struct CyclingSpeedAndCadence: CharacteristicValue {
    /// 0x2A5B.
    public static let identifier: BluetoothID = "2A5B"

    /// The turns of a wheel; nil if not in this measurement.
    public var wheel: WheelRevolutions?
    /// The turns of the cranks; nil if not in this measurement.
    public var crank: CrankRevolutions?

    /// A measurement.
    public init(wheel: WheelRevolutions? = nil, crank: CrankRevolutions? = nil) {
        self.wheel = wheel
        self.crank = crank
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = try reader.readUInt8()
        wheel = try flags & 1 == 0 ? nil : WheelRevolutions(from: &reader)
        crank = try flags & 2 == 0 ? nil : CrankRevolutions(from: &reader)
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(UInt8((wheel == nil ? 0 : 1) | (crank == nil ? 0 : 2)))
        wheel?.write(to: &writer)
        crank?.write(to: &writer)
    }

    /// On one line.
    public var description: String {
        let parts = [
            wheel.map { "wheel \($0.count) revolutions" },
            crank.map { "crank \($0.count) revolutions" },
        ].compactMap(\.self)
        return parts.isEmpty ? "nothing measured" : parts.joined(separator: ", ")
    }
}

/// How often a wheel has turned, and when it last did.
public struct WheelRevolutions: Hashable, Sendable {
    /// So many times.
    public var count: UInt32
    /// In units of 1/1024 s. It begins again at zero after 64 s.
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

    /// Turns per second since an earlier measurement; nil if none happened since then.
    ///
    /// Negative where the count went down, which that of a wheel may: it turned back, or was set.
    public func perSecond(since earlier: WheelRevolutions) -> Double? {
        wheelTurns((count, time), since: (earlier.count, earlier.time), ticksPerSecond: 1024)
    }
}

/// Turns of a wheel per second; nil if it did not turn.
func wheelTurns(
    _ now: (count: UInt32, time: UInt16),
    since earlier: (count: UInt32, time: UInt16),
    ticksPerSecond: Double
) -> Double? {
    let elapsed = now.time &- earlier.time
    guard elapsed > 0 else { return nil }
    return Double(Int32(bitPattern: now.count &- earlier.count)) * ticksPerSecond / Double(elapsed)
}

/// How often the cranks have turned, and when they last did. Both begin again at zero.
public struct CrankRevolutions: Hashable, Sendable {
    /// So many times.
    public var count: UInt16
    /// In units of 1/1024 s.
    public var time: UInt16

    /// So many turns, the last one then.
    public init(count: UInt16, time: UInt16) {
        self.count = count
        self.time = time
    }

    init(from reader: inout ValueReader) throws(ValueError) {
        count = try reader.readUInt16()
        time = try reader.readUInt16()
    }

    func write(to writer: inout ValueWriter) { writer.write(count, time) }

    /// Turns per second since an earlier measurement; nil if none happened since then.
    public func perSecond(since earlier: CrankRevolutions) -> Double? {
        let elapsed = time &- earlier.time
        guard elapsed > 0 else { return nil }
        return Double(count &- earlier.count) * 1024 / Double(elapsed)
    }
}
