// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A date and a time of day, without a time zone (GATT Specification Supplement).
struct DateTime: WellKnownValue {
    /// From 1582 to 9999; 0 if not known.
    let year: UInt16
    /// From 1 to 12; 0 if not known.
    let month: UInt8
    /// From 1 to 31; 0 if not known.
    let day: UInt8
    let hour: UInt8
    let minute: UInt8
    let second: UInt8

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        year = try reader.readUInt16()
        month = try reader.readUInt8()
        day = try reader.readUInt8()
        hour = try reader.readUInt8()
        minute = try reader.readUInt8()
        second = try reader.readUInt8()
        guard year == 0 || (1582...9999).contains(year), month <= 12, day <= 31, hour <= 23,
            minute <= 59, second <= 59
        else { throw .invalid(field: "Date Time") }
    }

    var description: String {
        let date =
            year == 0 || month == 0 || day == 0
            ? "no date" : "\(year)-\(Self.digits(month))-\(Self.digits(day))"
        return "\(date) \(Self.digits(hour)):\(Self.digits(minute)):\(Self.digits(second))"
    }

    private static func digits(_ number: UInt8) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// The time of day as a time server has it (GATT Specification Supplement).
struct CurrentTime: WellKnownValue {
    let time: DateTime
    /// From 1, Monday, to 7; 0 if not known.
    let dayOfWeek: UInt8
    /// In units of 1/256 s.
    let fraction: UInt8
    /// Bits that say why the time was adjusted.
    let adjustReason: UInt8

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        time = try DateTime(from: &reader)
        dayOfWeek = try reader.readUInt8()
        fraction = try reader.readUInt8()
        adjustReason = try reader.readUInt8()
        guard dayOfWeek < Self.dayNames.count else { throw .invalid(field: "Day of Week") }
    }

    var description: String {
        guard dayOfWeek > 0 else { return time.description }
        return "\(Self.dayNames[Int(dayOfWeek)]), \(time)"
    }

    private static let dayNames = [
        "", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
}
