// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A temperature (GATT Specification Supplement).
struct Temperature: WellKnownValue {
    /// In units of 0.01 °C; nil if the device does not know it.
    let hundredths: Int16?

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let value = Int16(bitPattern: try reader.readUInt16())
        guard value >= -27315 || value == .min else { throw .invalid(field: "Temperature") }
        hundredths = value == .min ? nil : value
    }

    var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " °C"
    }
}

/// A relative humidity (GATT Specification Supplement).
struct Humidity: WellKnownValue {
    /// In units of 0.01 %; nil if the device does not know it.
    let hundredths: UInt16?

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let value = try reader.readUInt16()
        guard value <= 10000 || value == .max else { throw .invalid(field: "Humidity") }
        hundredths = value == .max ? nil : value
    }

    var description: String {
        guard let hundredths else { return "not known" }
        return DecimalText.describe(Int(hundredths), exponent: -2) + " %"
    }
}

/// A pressure (GATT Specification Supplement).
struct Pressure: WellKnownValue {
    /// In units of 0.1 Pa.
    let tenths: UInt32

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        tenths = try reader.readUInt32()
    }

    var description: String { DecimalText.describe(Int(tenths), exponent: -3) + " hPa" }
}
