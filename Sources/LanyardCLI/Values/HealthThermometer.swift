// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The temperature of a body (GATT Specification Supplement).
struct TemperatureMeasurement: WellKnownValue {
    let temperature: MedicalNumber
    let isFahrenheit: Bool
    let time: DateTime?
    let type: TemperatureType?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let fahrenheit = Flags(rawValue: 1 << 0)
        static let time = Flags(rawValue: 1 << 1)
        static let type = Flags(rawValue: 1 << 2)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let flags = Flags(rawValue: try reader.readUInt8())
        isFahrenheit = flags.contains(.fahrenheit)
        temperature = MedicalNumber(float: try reader.readUInt32())
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        type = try flags.contains(.type) ? TemperatureType(from: &reader) : nil
    }

    var description: String {
        let parts: [String?] = [
            "\(temperature) \(isFahrenheit ? "°F" : "°C")", type?.description, time?.description,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

/// Where a temperature is taken (GATT Specification Supplement).
enum TemperatureType: UInt8, WellKnownValue {
    case armpit = 1
    case body, ear, finger, gastrointestinalTract, mouth, rectum, toe, tympanum

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let type = TemperatureType(rawValue: try reader.readUInt8()) else {
            throw .invalid(field: "Temperature Type")
        }
        self = type
    }

    var description: String {
        switch self {
        case .armpit: "armpit"
        case .body: "body"
        case .ear: "ear"
        case .finger: "finger"
        case .gastrointestinalTract: "gastrointestinal tract"
        case .mouth: "mouth"
        case .rectum: "rectum"
        case .toe: "toe"
        case .tympanum: "ear drum"
        }
    }
}
