// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The Client Characteristic Configuration descriptor (Vol 3, Part G, 3.3.3.3).
struct ClientCharacteristicConfiguration: WellKnownValue {
    let notifies: Bool
    let indicates: Bool

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bits = try reader.readUInt16()
        guard bits <= 3 else { throw .invalid(field: "Client Characteristic Configuration") }
        notifies = bits & 1 != 0
        indicates = bits & 2 != 0
    }

    var description: String {
        switch (notifies, indicates) {
        case (false, false): "off"
        case (true, false): "notifications on"
        case (false, true): "indications on"
        case (true, true): "notifications and indications on"
        }
    }
}

/// The Server Characteristic Configuration descriptor (Vol 3, Part G, 3.3.3.4).
struct ServerCharacteristicConfiguration: WellKnownValue {
    let broadcasts: Bool

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bits = try reader.readUInt16()
        guard bits <= 1 else { throw .invalid(field: "Server Characteristic Configuration") }
        broadcasts = bits == 1
    }

    var description: String { broadcasts ? "broadcasts on" : "off" }
}

/// The Characteristic Extended Properties descriptor (Vol 3, Part G, 3.3.3.1).
struct ExtendedProperties: WellKnownValue {
    let reliableWrite: Bool
    let writableAuxiliaries: Bool

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bits = try reader.readUInt16()
        guard bits <= 3 else { throw .invalid(field: "Extended Properties") }
        reliableWrite = bits & 1 != 0
        writableAuxiliaries = bits & 2 != 0
    }

    var description: String {
        let names = [
            reliableWrite ? "reliable write" : nil,
            writableAuxiliaries ? "writable auxiliaries" : nil,
        ].compactMap { $0 }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

/// The Report Reference descriptor (HID over GATT Profile, 4.10).
struct ReportReference: WellKnownValue {
    let identifier: UInt8
    /// The type: 1 for input, 2 for output, 3 for feature.
    let type: UInt8

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        identifier = try reader.readUInt8()
        type = try reader.readUInt8()
        guard (1...3).contains(type) else { throw .invalid(field: "Report Type") }
    }

    var description: String {
        let kind = type == 1 ? "input" : type == 2 ? "output" : "feature"
        return "\(kind) report \(identifier)"
    }
}

/// The Characteristic Presentation Format descriptor (Vol 3, Part G, 3.3.3.5).
struct PresentationFormat: WellKnownValue {
    /// A type of data (Assigned Numbers, 2.4.1).
    let format: UInt8
    /// The power of ten by which the number is multiplied.
    let exponent: Int8
    /// The UUID of the unit.
    let unit: UInt16
    /// The namespace of `meaning`; 1 is the Bluetooth SIG.
    let namespace: UInt8
    /// The meaning of the value: "first", "inside", ….
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

/// The Characteristic Aggregate Format descriptor (Vol 3, Part G, 3.3.3.6): the handles of the
/// Characteristic Presentation Format descriptors of the parts of the value, in their order.
struct AggregateFormat: WellKnownValue {
    let formats: [UInt16]

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        var formats: [UInt16] = []
        repeat { formats.append(try reader.readUInt16()) } while reader.remaining > 0
        guard !formats.contains(0) else { throw .invalid(field: "Aggregate Format") }
        self.formats = formats
    }

    var description: String {
        "formats at " + formats.map { "#\($0)" }.joined(separator: ", ")
    }
}
