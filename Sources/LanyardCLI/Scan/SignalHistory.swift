// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The signal strength of a device over the last minutes: the mean of each second.
struct SignalHistory: Equatable, Sendable {
    /// A second with its measurements.
    private struct Entry: Equatable, Sendable {
        let second: Int64
        var sum: Int
        var count: Int
    }

    /// The entries, oldest first.
    private var entries: [Entry] = []

    /// The maximum number of seconds with measurements that are kept: more than most terminals have
    /// columns.
    static let entryLimit = 300

    /// Adds a measurement in dBm.
    mutating func add(_ rssi: Int, at now: Instant) {
        let second = Self.second(now)
        if let last = entries.indices.last, entries[last].second == second {
            entries[last].sum += rssi
            entries[last].count += 1
        } else {
            if entries.count >= Self.entryLimit { entries.removeFirst() }
            entries.append(Entry(second: second, sum: rssi, count: 1))
        }
    }

    /// Returns the means of the last seconds in dBm, the current one last; `nil` for a second
    /// without a measurement.
    func levels(seconds count: Int, until now: Instant) -> [Int?] {
        let first = Self.second(now) - Int64(count) + 1
        var levels = [Int?](repeating: nil, count: max(0, count))
        for entry in entries.reversed() {
            let place = Int(entry.second - first)
            guard place >= 0 else { break }
            if place < levels.count { levels[place] = entry.sum / entry.count }
        }
        return levels
    }

    private static func second(_ now: Instant) -> Int64 { (now - .zero).components.seconds }
}

/// A line of blocks, one for each second, whose height is the signal strength.
enum SignalPlot {
    /// Returns the line of strengths in dBm. A second without a measurement is a dot.
    static func text(_ levels: [Int?]) -> String {
        String(levels.map { level in level.map(block) ?? "·" })
    }

    /// Returns the time axis below the lines: a mark with its age every ten seconds.
    static func axis(seconds count: Int) -> String {
        guard count > 0 else { return "" }
        var marks = [Character](repeating: " ", count: count)
        for age in stride(from: 0, to: count, by: markDistance) {
            let label = Array(age == 0 ? "0" : "-\(age)")
            let end = count - 1 - age
            guard end - label.count + 1 >= 0 else { break }
            for (offset, character) in label.enumerated() {
                marks[end - label.count + 1 + offset] = character
            }
        }
        return String(marks)
    }

    private static let markDistance = 10

    /// Returns the block of a strength in dBm. The blocks divide the range from -95 to -40 equally.
    private static func block(_ level: Int) -> Character {
        let place = (level - weakest) * blocks.count / (strongest - weakest)
        return blocks[min(max(place, 0), blocks.count - 1)]
    }

    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let weakest = -95
    private static let strongest = -40
}
