// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a sensor on a running shoe measured.
public struct RunningSpeedAndCadence: CharacteristicValue {
    /// 0x2A53.
    public static let identifier: BluetoothID = "2A53"

    /// In units of 1/256 m/s: see `metresPerSecond`.
    public var speed: UInt16
    /// In steps per minute.
    public var cadence: UInt8
    /// In centimetres; nil if not in this measurement.
    public var strideLength: UInt16?
    /// In decimetres since it was reset; nil if not in this measurement.
    public var totalDistance: UInt32?
    /// Whether the person runs; else, or if the sensor cannot tell, walks.
    public var isRunning: Bool

    /// A measurement.
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

    /// The speed.
    public var metresPerSecond: Double { Double(speed) / 256 }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let strideLength = Flags(rawValue: 1 << 0)
        static let totalDistance = Flags(rawValue: 1 << 1)
        static let running = Flags(rawValue: 1 << 2)
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let flags = Flags(rawValue: try reader.readUInt8())
        isRunning = flags.contains(.running)
        speed = try reader.readUInt16()
        cadence = try reader.readUInt8()
        strideLength = try flags.contains(.strideLength) ? reader.readUInt16() : nil
        totalDistance = try flags.contains(.totalDistance) ? reader.readUInt32() : nil
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        var flags: Flags = isRunning ? .running : []
        if strideLength != nil { flags.insert(.strideLength) }
        if totalDistance != nil { flags.insert(.totalDistance) }
        writer.write(flags.rawValue, speed, cadence)
        if let strideLength { writer.write(strideLength) }
        if let totalDistance { writer.write(totalDistance) }
    }

    /// On one line.
    public var description: String {
        let metresPerSecond = DecimalText.describe(Int(speed) * 100 / 256, exponent: -2)
        let parts: [String?] = [
            isRunning ? "running" : "walking", "\(metresPerSecond) m/s", "\(cadence) steps/min",
            strideLength.map { "stride \(DecimalText.describe(Int($0), exponent: -2)) m" },
            totalDistance.map { "\(DecimalText.describe(Int($0), exponent: -1)) m" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
