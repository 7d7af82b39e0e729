// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText

/// The text of times of day, in lines and in JSON.
enum TimeText {
    /// Returns the local time of day with milliseconds: `09:05:07.250`.
    static func describe(_ date: Date) -> String {
        let (seconds, milliseconds) = parts(of: date)
        var time = time_t(seconds)
        var fields = tm()
        localtime_r(&time, &fields)
        return [fields.tm_hour, fields.tm_min, fields.tm_sec]
            .map { pad(Int($0), to: 2) }.joined(separator: ":") + "." + pad(milliseconds, to: 3)
    }

    /// Returns the date and time in UTC, with milliseconds: `2026-03-01T09:05:07.250Z`.
    static func iso8601(_ date: Date) -> String {
        let (seconds, milliseconds) = parts(of: date)
        var time = time_t(seconds)
        var fields = tm()
        gmtime_r(&time, &fields)
        let day =
            [pad(Int(fields.tm_year) + 1900, to: 4)]
            + [Int(fields.tm_mon) + 1, Int(fields.tm_mday)].map { pad($0, to: 2) }
        let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { pad(Int($0), to: 2) }
        return day.joined(separator: "-") + "T" + clock.joined(separator: ":")
            + "." + pad(milliseconds, to: 3) + "Z"
    }

    private static func parts(of date: Date) -> (seconds: Int, milliseconds: Int) {
        let total = Int((date.timeIntervalSince1970 * 1000).rounded(.down))
        let seconds = Int((Double(total) / 1000).rounded(.down))
        return (seconds, total - seconds * 1000)
    }

    private static func pad(_ number: Int, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension JSON {
    /// Returns the object with the member `time` in front: the date and time at which it was made.
    func timed(_ date: Date = Date()) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object([.init("time", .string(TimeText.iso8601(date)))] + members)
    }
}
