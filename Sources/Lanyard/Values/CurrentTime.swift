// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A day of the week.
public enum DayOfWeek: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The first.
    case monday = 1
    /// The second.
    case tuesday
    /// The third.
    case wednesday
    /// The fourth.
    case thursday
    /// The fifth.
    case friday
    /// The sixth.
    case saturday
    /// The last.
    case sunday

    /// Its name in English.
    public var description: String {
        switch self {
        case .monday: "Monday"
        case .tuesday: "Tuesday"
        case .wednesday: "Wednesday"
        case .thursday: "Thursday"
        case .friday: "Friday"
        case .saturday: "Saturday"
        case .sunday: "Sunday"
        }
    }
}

/// A date and a time of day, with the day of the week.
public struct DayDateTime: CharacteristicValue {
    /// 0x2A0A.
    public static let identifier: BluetoothID = "2A0A"

    /// The date and the time.
    public var time: DateTime
    /// The day of the week; nil if not known.
    public var dayOfWeek: DayOfWeek?

    /// A date, a time, and a day that is not compared with the date.
    public init(time: DateTime, dayOfWeek: DayOfWeek? = nil) {
        self.time = time
        self.dayOfWeek = dayOfWeek
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        time = try DateTime(from: &reader)
        let number = try reader.readUInt8()
        dayOfWeek = DayOfWeek(rawValue: number)
        guard number == 0 || dayOfWeek != nil else { throw .invalid(field: "Day of Week") }
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        time.write(to: &writer)
        writer.write(dayOfWeek?.rawValue ?? 0)
    }

    /// The day first.
    public var description: String {
        dayOfWeek.map { "\($0), \(time)" } ?? time.description
    }
}

/// The time that a time server has.
public struct CurrentTime: CharacteristicValue {
    /// 0x2A2B.
    public static let identifier: BluetoothID = "2A2B"

    /// Why the time was set.
    public struct AdjustReason: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// These bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Somebody set it.
        public static let manualUpdate = AdjustReason(rawValue: 1 << 0)
        /// A reference elsewhere did.
        public static let externalReference = AdjustReason(rawValue: 1 << 1)
        /// The time zone is another.
        public static let timeZone = AdjustReason(rawValue: 1 << 2)
        /// Daylight saving time begins or ends.
        public static let daylightSaving = AdjustReason(rawValue: 1 << 3)
    }

    /// The date, the day and the time.
    public var dayTime: DayDateTime
    /// What has passed of the second, in units of 1/256 s.
    public var fraction: UInt8
    /// Why it was set last.
    public var adjustReason: AdjustReason

    /// A time.
    public init(dayTime: DayDateTime, fraction: UInt8 = 0, adjustReason: AdjustReason = []) {
        self.dayTime = dayTime
        self.fraction = fraction
        self.adjustReason = adjustReason
    }

    /// Reads it.
    public init(from reader: inout ValueReader) throws(ValueError) {
        dayTime = try DayDateTime(from: &reader)
        fraction = try reader.readUInt8()
        adjustReason = AdjustReason(rawValue: try reader.readUInt8())
    }

    /// Writes it.
    public func write(to writer: inout ValueWriter) {
        dayTime.write(to: &writer)
        writer.write(fraction, adjustReason.rawValue)
    }

    /// The day first.
    public var description: String { dayTime.description }
}
