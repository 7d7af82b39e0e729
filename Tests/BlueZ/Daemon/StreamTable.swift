// SPDX-License-Identifier: Apache-2.0

/// A table of the measurements of streams. Each row has the medians.
struct StreamTable {
    struct Row: Hashable {
        let work: String
        let length: Int
        let client: String
    }

    struct Entry {
        let row: Row
        /// The number of values in a second.
        let rate: Double
        /// The CPU time of the client, of bluetoothd and of the bus for a value, in microseconds.
        let processorTimes: [Double]
    }

    private var entries: [Entry] = []

    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// The table in Markdown.
    var text: String {
        var rows: [Row] = []
        for entry in entries where !rows.contains(entry.row) { rows.append(entry.row) }
        rows.sort { ($0.work, $0.length, $0.client) < ($1.work, $1.length, $1.client) }
        let lines = rows.map { row in
            let entries = entries.filter { $0.row == row }
            let times = (0..<3).map { place in Self.median(entries.map { $0.processorTimes[place] })
            }
            let numbers = [Self.median(entries.map(\.rate))] + times
            let cells = numbers.map { " \(Int($0.rounded())) |" }.joined()
            return "| \(row.work) \(row.length) | \(row.client) |\(cells)"
        }
        let head = """
            | values | client | values/s | client, µs | bluetoothd, µs | bus, µs |
            |---|---|--:|--:|--:|--:|
            """
        return ([head] + lines).joined(separator: "\n")
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
