// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A measurement of a running sensor.
public struct RunningSpeedAndCadence: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A53.
    public static let identifier: BluetoothID = "2A53"

    /// The speed in units of 1/256 m/s; see ``metersPerSecond``.
    public var speed: UInt16
    /// The cadence in steps per minute.
    public var cadence: UInt8
    /// The stride length in centimeters, if it is present.
    public var strideLength: UInt16?
    /// The distance in decimeters since the last reset, if it is present.
    public var totalDistance: UInt32?
    /// Whether the person is running; otherwise the person is walking, or the state is unknown.
    public var isRunning: Bool

    /// Creates a measurement.
    ///
    /// - Parameters:
    ///   - speed: The speed in units of 1/256 m/s.
    ///   - cadence: The cadence in steps per minute.
    ///   - strideLength: The stride length in centimeters; `nil` if it is absent.
    ///   - totalDistance: The distance in decimeters since the last reset; `nil` if it is absent.
    ///   - isRunning: Whether the person is running; otherwise the person is walking, or the state
    ///     is unknown.
    public init(
        speed: UInt16,
        cadence: UInt8,
        strideLength: UInt16? = nil,
        totalDistance: UInt32? = nil,
        isRunning: Bool = false
    ) {
        self.speed = speed
        self.cadence = cadence
        self.strideLength = strideLength
        self.totalDistance = totalDistance
        self.isRunning = isRunning
    }

    /// The speed in meters per second.
    public var metersPerSecond: Double { Double(speed) / 256 }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let strideLength = Flags(rawValue: 1 << 0)
        static let totalDistance = Flags(rawValue: 1 << 1)
        static let running = Flags(rawValue: 1 << 2)
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        isRunning = flags.contains(.running)
        speed = try reader.readUInt16()
        cadence = try reader.readUInt8()
        strideLength = try flags.contains(.strideLength) ? reader.readUInt16() : nil
        totalDistance = try flags.contains(.totalDistance) ? reader.readUInt32() : nil
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = isRunning ? .running : []
        if strideLength != nil { flags.insert(.strideLength) }
        if totalDistance != nil { flags.insert(.totalDistance) }
        writer.write(flags.rawValue, speed, cadence)
        if let strideLength { writer.write(strideLength) }
        if let totalDistance { writer.write(totalDistance) }
    }

    /// The value in one line.
    public var description: String {
        let metersPerSecond = DecimalText.describe(Int(speed) * 100 / 256, exponent: -2)
        let parts: [String?] = [
            isRunning ? "running" : "walking", "\(metersPerSecond) m/s", "\(cadence) steps/min",
            strideLength.map { "stride \(DecimalText.describe(Int($0), exponent: -2)) m" },
            totalDistance.map { "\(DecimalText.describe(Int($0), exponent: -1)) m" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
