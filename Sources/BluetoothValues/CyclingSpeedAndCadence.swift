// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The counts of a cycling sensor. Two measurements give the speed:
///
/// ```swift
/// if let wheel = measurement.wheel, let turns = wheel.perSecond(since: lastWheel) {
///     speed = turns * circumference
/// }
/// ```
public struct CyclingSpeedAndCadence: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A5B.
    public static let identifier: BluetoothID = "2A5B"

    /// The revolutions of a wheel, if they are present.
    public var wheel: WheelRevolutions?
    /// The revolutions of the cranks, if they are present.
    public var crank: CrankRevolutions?

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - wheel: The revolutions of a wheel; `nil` if they are absent.
    ///   - crank: The revolutions of the cranks; `nil` if they are absent.
    public init(wheel: WheelRevolutions? = nil, crank: CrankRevolutions? = nil) {
        self.wheel = wheel
        self.crank = crank
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = try reader.readUInt8()
        wheel = try flags & 1 == 0 ? nil : WheelRevolutions(from: &reader)
        crank = try flags & 2 == 0 ? nil : CrankRevolutions(from: &reader)
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        writer.write(UInt8((wheel == nil ? 0 : 1) | (crank == nil ? 0 : 2)))
        wheel?.write(to: &writer)
        crank?.write(to: &writer)
    }

    /// The value in one line.
    public var description: String {
        let parts = [
            wheel.map { "wheel \($0.count) revolutions" },
            crank.map { "crank \($0.count) revolutions" },
        ].compactMap(\.self)
        return parts.isEmpty ? "nothing measured" : parts.joined(separator: ", ")
    }
}

/// The revolutions of a wheel and the time of the last one.
public struct WheelRevolutions: Hashable, Sendable {
    /// The number of revolutions.
    public var count: UInt32
    /// The time of the last revolution in units of 1/1024 s, modulo 64 s.
    public var time: UInt16

    /// Creates a count with the time of the last revolution.
    ///
    /// - Parameters:
    ///   - count: The number of revolutions.
    ///   - time: The time of the last revolution in units of 1/1024 s, modulo 64 s.
    public init(count: UInt32, time: UInt16) {
        self.count = count
        self.time = time
    }

    init(from reader: inout ValueReader) throws(ValueError) {
        count = try reader.readUInt32()
        time = try reader.readUInt16()
    }

    func write(to writer: inout ValueWriter) { writer.write(count, time) }

    /// Returns the revolutions per second since an earlier measurement; `nil` if the time of the
    /// last revolution did not change.
    ///
    /// The result is negative if the count decreased. The specification permits that for a wheel,
    /// which can turn backward or be set.
    ///
    /// - Parameter earlier: The earlier measurement. Its last revolution was less than 64 s before
    ///   that of this measurement; otherwise the result is wrong.
    public func perSecond(since earlier: WheelRevolutions) -> Double? {
        wheelRevolutionsPerSecond(
            (count, time),
            since: (earlier.count, earlier.time),
            ticksPerSecond: 1024
        )
    }
}

/// Returns the revolutions of a wheel per second; `nil` if the time did not change.
func wheelRevolutionsPerSecond(
    _ now: (count: UInt32, time: UInt16),
    since earlier: (count: UInt32, time: UInt16),
    ticksPerSecond: Double
) -> Double? {
    let elapsed = now.time &- earlier.time
    guard elapsed > 0 else { return nil }
    return Double(Int32(bitPattern: now.count &- earlier.count)) * ticksPerSecond / Double(elapsed)
}

/// The revolutions of the cranks and the time of the last one. Both numbers wrap around to zero.
public struct CrankRevolutions: Hashable, Sendable {
    /// The number of revolutions.
    public var count: UInt16
    /// The time of the last revolution in units of 1/1024 s.
    public var time: UInt16

    /// Creates a count with the time of the last revolution.
    ///
    /// - Parameters:
    ///   - count: The number of revolutions, modulo 65536.
    ///   - time: The time of the last revolution in units of 1/1024 s, modulo 64 s.
    public init(count: UInt16, time: UInt16) {
        self.count = count
        self.time = time
    }

    init(from reader: inout ValueReader) throws(ValueError) {
        count = try reader.readUInt16()
        time = try reader.readUInt16()
    }

    func write(to writer: inout ValueWriter) { writer.write(count, time) }

    /// Returns the revolutions per second since an earlier measurement; `nil` if the time of the
    /// last revolution did not change.
    ///
    /// - Parameter earlier: The earlier measurement. Its last revolution was less than 64 s and
    ///   fewer than 65536 revolutions before that of this measurement; otherwise the result is
    ///   wrong.
    public func perSecond(since earlier: CrankRevolutions) -> Double? {
        let elapsed = time &- earlier.time
        guard elapsed > 0 else { return nil }
        return Double(count &- earlier.count) * 1024 / Double(elapsed)
    }
}
