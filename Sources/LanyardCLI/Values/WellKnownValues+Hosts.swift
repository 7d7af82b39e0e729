// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues

// Values that only a host uses. Apps do not need them, so they have no type in `BluetoothValues`,
// which has the types of other values. Their texts are safe to print, because text from the peer is
// escaped.
extension WellKnownValues {
    /// The characteristics that only a host uses.
    static let ofHosts: [UInt16: ValueDecoder] = [
        0x2A04: preferredParameters, 0x2A05: serviceChangedRange,
        0x2AA6: addressResolution,
    ]

    /// The descriptors that can be decoded.
    static let descriptors: [UInt16: ValueDecoder] = [
        0x2900: extendedProperties, 0x2901: userDescription, 0x2902: clientConfiguration,
        0x2903: serverConfiguration, 0x2904: presentationFormat, 0x2905: aggregateFormat,
        0x2908: reportReference,
    ]
}

// MARK: - Characteristics

extension WellKnownValues {
    /// The Peripheral Preferred Connection Parameters (Vol 3, Part C, 12.3).
    private static let preferredParameters = ValueDecoder.own { (reader) throws(MalformedBytes) in
        let shortest = interval(try reader.readUInt16())
        let longest = interval(try reader.readUInt16())
        let latency = try reader.readUInt16()
        let timeout = try reader.readUInt16()
        // In units of 10 ms; 0xFFFF for no preference.
        let timeoutText = timeout == 0xFFFF ? "any" : "\(Int(timeout) * 10) ms"
        return "interval \(shortest) to \(longest), latency \(latency), timeout \(timeoutText)"
    }

    /// Returns the text of an interval in units of 1.25 ms; 0xFFFF for no preference.
    private static func interval(_ units: UInt16) -> String {
        guard units != 0xFFFF else { return "any" }
        return DecimalText.describe(Int(units) * 125, exponent: -2) + " ms"
    }

    /// The range of the Service Changed characteristic (Vol 3, Part G, 7.1).
    private static let serviceChangedRange = ValueDecoder.own { (reader) throws(MalformedBytes) in
        let (first, last) = (try reader.readUInt16(), try reader.readUInt16())
        guard first > 0, first <= last else { throw .invalid(field: "handle range") }
        return "handles \(first) to \(last) changed"
    }

    /// The Central Address Resolution characteristic (Vol 3, Part C, 12.4).
    private static let addressResolution = ValueDecoder.own { (reader) throws(MalformedBytes) in
        switch try reader.readUInt8() {
        case 0: "not supported"
        case 1: "supported"
        default: throw .invalid(field: "Central Address Resolution")
        }
    }
}

// MARK: - Descriptors

extension WellKnownValues {
    /// Reads bits, of which those above `limit` are reserved.
    private static func bits(
        _ reader: inout ByteReader,
        to limit: UInt16,
        of field: String
    ) throws(MalformedBytes) -> UInt16 {
        let bits = try reader.readUInt16()
        guard bits <= limit else { throw .invalid(field: field) }
        return bits
    }

    /// The Characteristic Extended Properties descriptor (Vol 3, Part G, 3.3.3.1).
    private static let extendedProperties = ValueDecoder.own { (reader) throws(MalformedBytes) in
        switch try bits(&reader, to: 3, of: "Extended Properties") {
        case 0: "none"
        case 1: "reliable write"
        case 2: "writable auxiliaries"
        default: "reliable write, writable auxiliaries"
        }
    }

    /// The Characteristic User Description descriptor (Vol 3, Part G, 3.3.3.2).
    private static let userDescription = ValueDecoder.own { (reader) throws(MalformedBytes) in
        guard let text = TerminalText.text(utf8: reader.readRemaining()) else {
            throw .invalid(field: "UTF-8")
        }
        return "\"\(TerminalText.escape(text))\""
    }

    /// The Client Characteristic Configuration descriptor (Vol 3, Part G, 3.3.3.3).
    private static let clientConfiguration = ValueDecoder.own { (reader) throws(MalformedBytes) in
        switch try bits(&reader, to: 3, of: "Client Characteristic Configuration") {
        case 0: "off"
        case 1: "notifications on"
        case 2: "indications on"
        default: "notifications and indications on"
        }
    }

    /// The Server Characteristic Configuration descriptor (Vol 3, Part G, 3.3.3.4).
    private static let serverConfiguration = ValueDecoder.own { (reader) throws(MalformedBytes) in
        try bits(&reader, to: 1, of: "Server Characteristic Configuration") == 1
            ? "broadcasts on" : "off"
    }

    /// The Characteristic Presentation Format descriptor (Vol 3, Part G, 3.3.3.5).
    private static let presentationFormat = ValueDecoder.own { (reader) throws(MalformedBytes) in
        let (format, exponent) = (try reader.readUInt8(), try reader.readInt8())
        let unit = try reader.readUInt16()
        // The namespace and the meaning ("first", "inside", …) of the value are not shown.
        _ = (try reader.readUInt8(), try reader.readUInt16())
        let name = formatNames[format] ?? "format \(format)"
        let scale = exponent == 0 ? "" : " × 10^\(exponent)"
        let symbol = AssignedNumbers.unitSymbols[unit] ?? "unit \(BluetoothUUID(unit))"
        return name + scale + (symbol.isEmpty ? "" : " \(symbol)")
    }

    /// The types of data (Assigned Numbers, 2.4.1).
    private static let formatNames: [UInt8: String] = [
        0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12",
        0x06: "uint16", 0x07: "uint24", 0x08: "uint32", 0x09: "uint48", 0x0A: "uint64",
        0x0B: "uint128", 0x0C: "sint8", 0x0D: "sint12", 0x0E: "sint16", 0x0F: "sint24",
        0x10: "sint32", 0x11: "sint48", 0x12: "sint64", 0x13: "sint128", 0x14: "float32",
        0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32", 0x18: "uint16 pair",
        0x19: "utf8", 0x1A: "utf16", 0x1B: "struct",
    ]

    /// The Characteristic Aggregate Format descriptor (Vol 3, Part G, 3.3.3.6): the handles of the
    /// Characteristic Presentation Format descriptors of the parts of the value, in their order.
    private static let aggregateFormat = ValueDecoder.own { (reader) throws(MalformedBytes) in
        var formats: [UInt16] = []
        repeat { formats.append(try reader.readUInt16()) } while reader.remaining > 0
        guard !formats.contains(0) else { throw .invalid(field: "Aggregate Format") }
        return "formats at " + formats.map { "#\($0)" }.joined(separator: ", ")
    }

    /// The Report Reference descriptor (HID over GATT Profile, 4.10).
    private static let reportReference = ValueDecoder.own { (reader) throws(MalformedBytes) in
        let (identifier, type) = (try reader.readUInt8(), try reader.readUInt8())
        switch type {
        case 1: return "input report \(identifier)"
        case 2: return "output report \(identifier)"
        case 3: return "feature report \(identifier)"
        default: throw .invalid(field: "Report Type")
        }
    }
}
