// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The table of devices that `scan` shows on a terminal.
struct ScanTable: Sendable {
    let size: Console.Size

    /// The table's lines, none wider than the terminal and together shorter than it.
    func lines(_ sightings: [Sighting], now: Instant) -> [String] {
        let room = max(1, size.rows - Self.fixedLines)
        let rows = sightings.prefix(room).map { line(cells(of: $0, now: now)) }
        return [line(Self.titles)] + rows + [footer(total: sightings.count, shown: rows.count)]
    }

    private func footer(total: Int, shown: Int) -> String {
        let hidden = total > shown ? ", \(total - shown) not shown" : ""
        let text = "\(total) \(total == 1 ? "device" : "devices")\(hidden). Ctrl-C ends."
        return TerminalColumns.truncate(text, to: size.columns)
    }

    private func cells(of sighting: Sighting, now: Instant) -> [String] {
        [
            sighting.name ?? "",
            AddressText.describe(sighting.address),
            sighting.rssi.map { SignalBar.text(rssi: $0) + " \($0)" } ?? "",
            sighting.summary,
            Self.age(now - sighting.lastSeen),
        ]
    }

    /// Puts cells in columns; names and services share what the others leave of the width.
    private func line(_ cells: [String]) -> String {
        let fixed = Self.identifierColumns + Self.signalColumns + Self.ageColumns
        let shared = max(0, size.columns - fixed - Self.gap.count * (cells.count - 1))
        let name = min(Self.nameColumns, shared / 2)
        let widths = [
            name, Self.identifierColumns, Self.signalColumns, shared - name, Self.ageColumns,
        ]
        let text = zip(cells, widths).map { TerminalColumns.fit($0, to: $1) }
            .joined(separator: Self.gap)
        return TerminalColumns.truncate(text, to: size.columns)
    }

    static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return seconds < 1 ? "now" : seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    private static let titles = ["NAME", "IDENTIFIER", "SIGNAL", "SERVICES", "SEEN"]
    private static let gap = "  "
    private static let nameColumns = 24
    private static let identifierColumns = 24
    private static let signalColumns = 9
    private static let ageColumns = 6
    /// The titles, the footer, and the line the cursor is in.
    private static let fixedLines = 3
}

/// Four rising blocks that show how strong a signal is.
enum SignalBar {
    /// The bar for a strength in dBm: full above -55, empty below -95.
    static func text(rssi: Int) -> String {
        let count = thresholds.filter { rssi >= $0 }.count
        return blocks.prefix(count) + String(repeating: " ", count: blocks.count - count)
    }

    private static let blocks = "▂▄▆█"
    private static let thresholds = [-95, -82, -68, -55]
}
