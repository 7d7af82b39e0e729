// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// One measurement of the blood pressure, or of the pressure in the cuff while measuring
/// (GATT Specification Supplement).
struct BloodPressureMeasurement: WellKnownValue {
    let systolic: MedicalNumber
    let diastolic: MedicalNumber
    let meanArterial: MedicalNumber
    let isKilopascal: Bool
    let time: DateTime?
    /// In beats per minute.
    let pulseRate: MedicalNumber?
    let user: UInt8?
    /// Bits about how the measurement went: movement, cuff fit, irregular pulse, position.
    let status: UInt16?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let kilopascal = Flags(rawValue: 1 << 0)
        static let time = Flags(rawValue: 1 << 1)
        static let pulseRate = Flags(rawValue: 1 << 2)
        static let user = Flags(rawValue: 1 << 3)
        static let status = Flags(rawValue: 1 << 4)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let flags = Flags(rawValue: try reader.readUInt8())
        isKilopascal = flags.contains(.kilopascal)
        systolic = MedicalNumber(shortFloat: try reader.readUInt16())
        diastolic = MedicalNumber(shortFloat: try reader.readUInt16())
        meanArterial = MedicalNumber(shortFloat: try reader.readUInt16())
        time = try flags.contains(.time) ? DateTime(from: &reader) : nil
        pulseRate =
            try flags.contains(.pulseRate)
            ? MedicalNumber(shortFloat: reader.readUInt16()) : nil
        user = try flags.contains(.user) ? reader.readUInt8() : nil
        status = try flags.contains(.status) ? reader.readUInt16() : nil
    }

    var description: String {
        let unit = isKilopascal ? "kPa" : "mmHg"
        let parts: [String?] = [
            "\(systolic)/\(diastolic) \(unit)", "mean \(meanArterial) \(unit)",
            pulseRate.map { "\($0) bpm" }, user.map { "user \($0)" }, time?.description,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
