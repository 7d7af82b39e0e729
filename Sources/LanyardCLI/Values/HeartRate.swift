// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// One measurement of the heart rate (GATT Specification Supplement).
struct HeartRateMeasurement: WellKnownValue {
    /// In beats per minute.
    let rate: UInt16
    /// Whether the sensor touches the skin; nil if it cannot tell.
    let hasContact: Bool?
    /// In kilojoules since the last reset; nil if not in this measurement.
    let energyExpended: UInt16?
    /// Times between beats, in units of 1/1024 s, oldest first.
    let intervals: [UInt16]

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let rateIs16Bit = Flags(rawValue: 1 << 0)
        static let contactDetected = Flags(rawValue: 1 << 1)
        static let contactSupported = Flags(rawValue: 1 << 2)
        static let energyExpended = Flags(rawValue: 1 << 3)
        static let intervals = Flags(rawValue: 1 << 4)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let flags = Flags(rawValue: try reader.readUInt8())
        rate =
            try flags.contains(.rateIs16Bit)
            ? reader.readUInt16() : UInt16(reader.readUInt8())
        hasContact = flags.contains(.contactSupported) ? flags.contains(.contactDetected) : nil
        energyExpended = try flags.contains(.energyExpended) ? reader.readUInt16() : nil
        var intervals: [UInt16] = []
        while flags.contains(.intervals), !reader.isAtEnd {
            intervals.append(try reader.readUInt16())
        }
        self.intervals = intervals
    }

    var description: String {
        var parts = ["\(rate) bpm"]
        if let hasContact { parts.append(hasContact ? "contact" : "no contact") }
        if let energyExpended { parts.append("\(energyExpended) kJ") }
        if !intervals.isEmpty {
            let texts = intervals.map { "\((Int($0) * 1000 + 512) / 1024)" }
            parts.append("intervals \(texts.joined(separator: ", ")) ms")
        }
        return parts.joined(separator: ", ")
    }
}

/// Where a heart rate sensor is worn (GATT Specification Supplement).
enum BodySensorLocation: UInt8, WellKnownValue {
    case other, chest, wrist, finger, hand, earLobe, foot

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let location = BodySensorLocation(rawValue: try reader.readUInt8()) else {
            throw .invalid(field: "Body Sensor Location")
        }
        self = location
    }

    var description: String {
        switch self {
        case .other: "other"
        case .chest: "chest"
        case .wrist: "wrist"
        case .finger: "finger"
        case .hand: "hand"
        case .earLobe: "ear lobe"
        case .foot: "foot"
        }
    }
}
