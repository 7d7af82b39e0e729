// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A date and a time of day, without a time zone.
public struct DateTime: CharacteristicValue {
    /// 0x2A08.
    public static let identifier: BluetoothID = "2A08"

    /// From 1582 to 9999; nil if not known.
    public let year: Int?
    /// From 1 to 12; nil if not known.
    public let month: Int?
    /// From 1 to 31; nil if not known.
    public let day: Int?
    /// From 0 to 23.
    public let hour: Int
    /// From 0 to 59.
    public let minute: Int
    /// From 0 to 59.
    public let second: Int

    /// A date and a time.
    /// - Throws: `invalid` if a number is out of its range; whether there is such a day in that month is
    ///   not looked at.
    public init(
        year: Int?,
        month: Int?,
        day: Int?,
        hour: Int,
        minute: Int,
        second: Int
    ) throws(ValueError) {
        guard year.map((1582...9999).contains) ?? true, month.map((1...12).contains) ?? true,
            day.map((1...31).contains) ?? true, (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second)
        else { throw .invalid(field: "Date Time") }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        let year = try reader.readUInt16()
        let rest = try (
            month: reader.readUInt8(), day: reader.readUInt8(), hour: reader.readUInt8(),
            minute: reader.readUInt8(), second: reader.readUInt8()
        )
        try self.init(
            year: year == 0 ? nil : Int(year),
            month: rest.month == 0 ? nil : Int(rest.month),
            day: rest.day == 0 ? nil : Int(rest.day),
            hour: Int(rest.hour),
            minute: Int(rest.minute),
            second: Int(rest.second)
        )
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        writer.write(UInt16(truncatingIfNeeded: year ?? 0))
        for number in [month ?? 0, day ?? 0, hour, minute, second] {
            writer.write(UInt8(truncatingIfNeeded: number))
        }
    }

    /// The date first.
    public var description: String {
        "\(dateText) \(Self.digits(hour)):\(Self.digits(minute)):\(Self.digits(second))"
    }

    private var dateText: String {
        guard let year, let month, let day else { return "no date" }
        return "\(year)-\(Self.digits(month))-\(Self.digits(day))"
    }

    private static func digits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension DateTime {
    /// What the clocks of a time zone show at some moment, without the fraction of its second.
    /// - Throws: `invalid` if that is before 1582, or after 9999.
    public init(_ date: Date, in timeZone: TimeZone) throws(ValueError) {
        let parts = Self.calendar(timeZone)
            .dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year,
            month: parts.month,
            day: parts.day,
            hour: parts.hour ?? 0,
            minute: parts.minute ?? 0,
            second: parts.second ?? 0
        )
    }

    /// The moment at which the clocks of a time zone show this; nil if they never do, or the date is not
    /// all known.
    public func date(in timeZone: TimeZone) -> Date? {
        guard let year, let month, let day else { return nil }
        let parts = DateComponents(
            year: year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        guard let date = Self.calendar(timeZone).date(from: parts),
            (try? DateTime(date, in: timeZone)) == self
        else { return nil }
        return date
    }

    private static func calendar(_ timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }
}
