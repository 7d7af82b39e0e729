// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A day of the week.
public enum DayOfWeek: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Monday, 1.
    case monday = 1
    /// Tuesday, 2.
    case tuesday
    /// Wednesday, 3.
    case wednesday
    /// Thursday, 4.
    case thursday
    /// Friday, 5.
    case friday
    /// Saturday, 6.
    case saturday
    /// Sunday, 7.
    case sunday

    /// The English name of the day.
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
    /// The UUID of the characteristic, 0x2A0A.
    public static let identifier: BluetoothID = "2A0A"

    /// The date and the time.
    public var time: DateTime
    /// The day of the week; `nil` if it is unknown.
    public var dayOfWeek: DayOfWeek?

    /// Creates a value. The initializer does not compare the day of the week with the date.
    ///
    /// - Parameters:
    ///   - time: The date and the time of day.
    ///   - dayOfWeek: The day of the week; `nil` if the day is unknown.
    public init(time: DateTime, dayOfWeek: DayOfWeek? = nil) {
        self.time = time
        self.dayOfWeek = dayOfWeek
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        time = try DateTime(from: &reader)
        let number = try reader.readUInt8()
        dayOfWeek = DayOfWeek(rawValue: number)
        guard number == 0 || dayOfWeek != nil else { throw .invalid(field: "Day of Week") }
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        time.write(to: &writer)
        writer.write(dayOfWeek?.rawValue ?? 0)
    }

    /// The value as text, with the day of the week first.
    public var description: String {
        dayOfWeek.map { "\($0), \(time)" } ?? time.description
    }
}

/// The current time of a time server.
public struct CurrentTime: CharacteristicValue {
    /// The UUID of the characteristic, 0x2A2B.
    public static let identifier: BluetoothID = "2A2B"

    /// The reasons for an adjustment of the time.
    public struct AdjustReason: OptionSet, Hashable, Sendable {
        /// The bits of the flags.
        public let rawValue: UInt8

        /// Creates flags from their bits.
        ///
        /// - Parameter rawValue: The bits of the flags.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A person set the time.
        public static let manualUpdate = AdjustReason(rawValue: 1 << 0)
        /// An external reference set the time.
        public static let externalReference = AdjustReason(rawValue: 1 << 1)
        /// The time zone changed.
        public static let timeZone = AdjustReason(rawValue: 1 << 2)
        /// Daylight saving time began or ended.
        public static let daylightSaving = AdjustReason(rawValue: 1 << 3)
    }

    /// The date, the day of the week and the time of day.
    public var dayTime: DayDateTime
    /// The fraction of the second, in units of 1/256 s.
    public var fraction: UInt8
    /// The reasons for the latest adjustment.
    public var adjustReason: AdjustReason

    /// Creates a time.
    ///
    /// - Parameters:
    ///   - dayTime: The date, the day of the week and the time of day.
    ///   - fraction: The fraction of the second, in units of 1/256 s.
    ///   - adjustReason: The reasons for the latest adjustment.
    public init(dayTime: DayDateTime, fraction: UInt8 = 0, adjustReason: AdjustReason = []) {
        self.dayTime = dayTime
        self.fraction = fraction
        self.adjustReason = adjustReason
    }

    /// Decodes the value.
    public init(from reader: inout ValueReader) throws(ValueError) {
        dayTime = try DayDateTime(from: &reader)
        fraction = try reader.readUInt8()
        adjustReason = AdjustReason(rawValue: try reader.readUInt8())
    }

    /// Encodes the value.
    public func write(to writer: inout ValueWriter) {
        dayTime.write(to: &writer)
        writer.write(fraction, adjustReason.rawValue)
    }

    /// The value as text, with the day of the week first.
    public var description: String { dayTime.description }
}
