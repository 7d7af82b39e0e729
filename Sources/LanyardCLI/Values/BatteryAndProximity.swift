// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The charge of a battery (GATT Specification Supplement).
struct BatteryLevel: WellKnownValue {
    /// From 0 to 100.
    let percentage: UInt8

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        percentage = try reader.readUInt8()
        guard percentage <= 100 else { throw .invalid(field: "Battery Level") }
    }

    var description: String { "\(percentage) %" }
}

/// The power with which a device transmits (GATT Specification Supplement).
struct TransmitPowerLevel: WellKnownValue {
    /// In dBm, from -100 to 20.
    let level: Int8

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        level = try reader.readInt8()
        guard (-100...20).contains(level) else { throw .invalid(field: "Tx Power Level") }
    }

    var description: String { "\(level) dBm" }
}

/// How loudly a device should call for attention (GATT Specification Supplement).
enum AlertLevel: UInt8, WellKnownValue {
    case none = 0
    case mild = 1
    case high = 2

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let level = AlertLevel(rawValue: try reader.readUInt8()) else {
            throw .invalid(field: "Alert Level")
        }
        self = level
    }

    var description: String {
        switch self {
        case .none: "no alert"
        case .mild: "mild alert"
        case .high: "high alert"
        }
    }
}
