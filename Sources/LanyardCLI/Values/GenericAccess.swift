// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues

/// A UTF-8 string: names, model numbers, user descriptions.
struct PlainText: WellKnownValue {
    let text: String

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let text = TerminalText.text(utf8: reader.readRemaining()) else {
            throw .invalid(field: "UTF-8")
        }
        self.text = text
    }

    var description: String { "\"\(TerminalText.escape(text))\"" }
}

/// The Peripheral Preferred Connection Parameters (Vol 3, Part C, 12.3).
struct PreferredConnectionParameters: WellKnownValue {
    /// The shortest interval in units of 1.25 ms; 0xFFFF for no preference.
    let intervalMinimum: UInt16
    /// The longest interval in units of 1.25 ms; 0xFFFF for no preference.
    let intervalMaximum: UInt16
    let latency: UInt16
    /// The supervision timeout in units of 10 ms; 0xFFFF for no preference.
    let supervisionTimeout: UInt16

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        intervalMinimum = try reader.readUInt16()
        intervalMaximum = try reader.readUInt16()
        latency = try reader.readUInt16()
        supervisionTimeout = try reader.readUInt16()
    }

    var description: String {
        let shortest = Self.milliseconds(intervalMinimum)
        let longest = Self.milliseconds(intervalMaximum)
        let timeout = supervisionTimeout == 0xFFFF ? "any" : "\(Int(supervisionTimeout) * 10) ms"
        return "interval \(shortest) to \(longest), latency \(latency), timeout \(timeout)"
    }

    private static func milliseconds(_ interval: UInt16) -> String {
        guard interval != 0xFFFF else { return "any" }
        return DecimalText.describe(Int(interval) * 125, exponent: -2) + " ms"
    }
}

/// The range of the Service Changed characteristic (Vol 3, Part G, 7.1).
struct ServiceChangedRange: WellKnownValue {
    let first: UInt16
    let last: UInt16

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        first = try reader.readUInt16()
        last = try reader.readUInt16()
        guard first > 0, first <= last else { throw .invalid(field: "handle range") }
    }

    var description: String { "handles \(first) to \(last) changed" }
}

/// The Central Address Resolution characteristic (Vol 3, Part C, 12.4).
struct CentralAddressResolution: WellKnownValue {
    let isSupported: Bool

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        switch try reader.readUInt8() {
        case 0: isSupported = false
        case 1: isSupported = true
        default: throw .invalid(field: "Central Address Resolution")
        }
    }

    var description: String { isSupported ? "supported" : "not supported" }
}
