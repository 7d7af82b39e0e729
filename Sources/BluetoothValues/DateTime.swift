// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A date and a time of day, without a time zone.
public struct DateTime: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A08.
    public static let identifier: BluetoothID = "2A08"

    /// The year, from 1582 to 9999; `nil` if it is unknown.
    public let year: Int?
    /// The month, from 1 to 12; `nil` if it is unknown.
    public let month: Int?
    /// The day of the month, from 1 to 31; `nil` if it is unknown.
    public let day: Int?
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 59.
    public let second: Int

    /// Creates a date and time. The initializer does not check whether the month has this day.
    ///
    /// - Parameters:
    ///   - year: The year, from 1582 to 9999; `nil` if the year is unknown.
    ///   - month: The month, from 1 to 12; `nil` if the month is unknown.
    ///   - day: The day of the month, from 1 to 31; `nil` if the day is unknown.
    ///   - hour: The hour, from 0 to 23.
    ///   - minute: The minute, from 0 to 59.
    ///   - second: The second, from 0 to 59.
    /// - Throws: ``ValueError/invalid(field:)`` if a number is out of range.
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

    /// Decodes the value.
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

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        writer.write(UInt16(truncatingIfNeeded: year ?? 0))
        for number in [month ?? 0, day ?? 0, hour, minute, second] {
            writer.write(UInt8(truncatingIfNeeded: number))
        }
    }

    /// The value as text, with the date first.
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
    /// Creates the local time of a moment in a time zone, without fractions of a second.
    ///
    /// - Parameters:
    ///   - date: The moment.
    ///   - timeZone: The time zone.
    /// - Throws: ``ValueError/invalid(field:)`` if the number of the year in the Gregorian calendar
    ///   is not from 1582 to 9999, or the year is before the common era.
    public init(_ date: Date, in timeZone: TimeZone) throws(ValueError) {
        let parts = Self.calendar(timeZone)
            .dateComponents([.era, .year, .month, .day, .hour, .minute, .second], from: date)
        guard parts.era == Self.commonEra else { throw .invalid(field: "Date Time") }
        try self.init(
            year: parts.year,
            month: parts.month,
            day: parts.day,
            hour: parts.hour ?? 0,
            minute: parts.minute ?? 0,
            second: parts.second ?? 0
        )
    }

    /// Returns the moment of this local time in a time zone; `nil` if there is no such moment, or a
    /// part of the date is unknown.
    ///
    /// - Parameter timeZone: The time zone.
    public func date(in timeZone: TimeZone) -> Date? {
        guard let year, let month, let day else { return nil }
        let parts = DateComponents(
            era: Self.commonEra,
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

    /// The number of the common era in the Gregorian calendar.
    private static let commonEra = 1

    private static func calendar(_ timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }
}
