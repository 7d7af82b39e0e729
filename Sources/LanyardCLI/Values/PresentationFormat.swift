// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How the value of a characteristic is to be read (Vol 3, Part G, 3.3.3.5).
struct PresentationFormat: WellKnownValue {
    /// A type of data (Assigned Numbers, 2.4.1).
    let format: UInt8
    /// The power of ten that whole numbers are multiplied with.
    let exponent: Int8
    /// A unit's UUID.
    let unit: UInt16
    /// Who assigned the meaning of `meaning`; 1 is the SIG.
    let namespace: UInt8
    /// What is measured: "first", "inside", ….
    let meaning: UInt16

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        format = try reader.readUInt8()
        exponent = try reader.readInt8()
        unit = try reader.readUInt16()
        namespace = try reader.readUInt8()
        meaning = try reader.readUInt16()
    }

    var description: String {
        let name = Self.formatNames[format] ?? "format \(format)"
        let scale = exponent == 0 ? "" : " × 10^\(exponent)"
        let symbol = AssignedNumbers.unitSymbols[unit] ?? "unit \(BluetoothUUID(unit))"
        return name + scale + (symbol.isEmpty ? "" : " \(symbol)")
    }

    private static let formatNames: [UInt8: String] = [
        0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12",
        0x06: "uint16", 0x07: "uint24", 0x08: "uint32", 0x09: "uint48", 0x0A: "uint64",
        0x0B: "uint128", 0x0C: "sint8", 0x0D: "sint12", 0x0E: "sint16", 0x0F: "sint24",
        0x10: "sint32", 0x11: "sint48", 0x12: "sint64", 0x13: "sint128", 0x14: "float32",
        0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32", 0x18: "uint16 pair",
        0x19: "utf8", 0x1A: "utf16", 0x1B: "struct",
    ]
}
