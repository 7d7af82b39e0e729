// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a running sensor measured (GATT Specification Supplement).
struct RunningMeasurement: WellKnownValue {
    /// In units of 1/256 m/s.
    let speed: UInt16
    /// In steps per minute.
    let cadence: UInt8
    /// In centimetres.
    let strideLength: UInt16?
    /// In decimetres.
    let totalDistance: UInt32?
    let isRunning: Bool

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let strideLength = Flags(rawValue: 1 << 0)
        static let totalDistance = Flags(rawValue: 1 << 1)
        static let running = Flags(rawValue: 1 << 2)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let flags = Flags(rawValue: try reader.readUInt8())
        isRunning = flags.contains(.running)
        speed = try reader.readUInt16()
        cadence = try reader.readUInt8()
        strideLength = try flags.contains(.strideLength) ? reader.readUInt16() : nil
        totalDistance = try flags.contains(.totalDistance) ? reader.readUInt32() : nil
    }

    var description: String {
        let metresPerSecond = DecimalText.describe(Int(speed) * 100 / 256, exponent: -2)
        let parts: [String?] = [
            isRunning ? "running" : "walking", "\(metresPerSecond) m/s", "\(cadence) steps/min",
            strideLength.map { "stride \(DecimalText.describe(Int($0), exponent: -2)) m" },
            totalDistance.map { "\(DecimalText.describe(Int($0), exponent: -1)) m" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

/// What a cycling sensor counted (GATT Specification Supplement).
struct CyclingMeasurement: WellKnownValue {
    /// A count and when it last changed, in units of 1/1024 s; the time wraps.
    struct Revolutions: Equatable, Sendable {
        let count: UInt32
        let time: UInt16
    }

    let wheel: Revolutions?
    let crank: Revolutions?

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let flags = try reader.readUInt8()
        wheel =
            try flags & 1 == 0
            ? nil : Revolutions(count: reader.readUInt32(), time: reader.readUInt16())
        crank =
            try flags & 2 == 0
            ? nil : Revolutions(count: UInt32(reader.readUInt16()), time: reader.readUInt16())
    }

    var description: String {
        let parts = [
            wheel.map { "wheel \($0.count) revolutions" },
            crank.map { "crank \($0.count) revolutions" },
        ].compactMap { $0 }
        return parts.isEmpty ? "nothing measured" : parts.joined(separator: ", ")
    }
}
