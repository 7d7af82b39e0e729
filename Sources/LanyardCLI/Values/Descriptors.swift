// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a client wants to be sent (Vol 3, Part G, 3.3.3.3).
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

/// Whether a server broadcasts a value (Vol 3, Part G, 3.3.3.4).
struct ServerCharacteristicConfiguration: WellKnownValue {
    let broadcasts: Bool

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bits = try reader.readUInt16()
        guard bits <= 1 else { throw .invalid(field: "Server Characteristic Configuration") }
        broadcasts = bits == 1
    }

    var description: String { broadcasts ? "broadcasts on" : "off" }
}

/// Properties that do not fit into the declaration (Vol 3, Part G, 3.3.3.1).
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

/// Which report of a Human Interface Device a characteristic is (HID over GATT Profile, 4.10).
struct ReportReference: WellKnownValue {
    let identifier: UInt8
    /// 1 input, 2 output, 3 feature.
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
