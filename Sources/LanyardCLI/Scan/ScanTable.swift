// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// The table of devices that `scan` shows on a terminal.
struct ScanTable: Sendable {
    let size: Console.Size

    /// Returns the lines of the display. No line is wider than the terminal. On a terminal with at
    /// least three rows, there are at most as many lines as rows.
    func lines(_ view: ScanView, now: Instant) -> [String] {
        let rowLimit = max(1, size.rows - Self.fixedLines)
        let shown = view.shown
        let time = view.time(at: now)
        if view.showsPlot {
            let rows = shown.prefix(max(0, rowLimit - 1)).map { plotRow($0, now: time) }
            return rows + [plotAxis, footer(view, shown: rows.count)]
        }
        let rows = shown.prefix(rowLimit).map { row(cells(of: $0, now: time)) }
        return [row(Self.titles)] + rows + [footer(view, shown: rows.count)]
    }

    /// Returns the lines that stay after the display has ended: all devices that pass the filter,
    /// then the number of devices or the axis of the plot.
    func finalLines(_ view: ScanView, now: Instant) -> [String] {
        let shown = view.shown
        let time = view.time(at: now)
        let hidden = view.total - shown.count
        guard view.total > 0 else { return [] }
        if view.showsPlot { return shown.map { plotRow($0, now: time) } + [plotAxis] }
        return [row(Self.titles)] + shown.map { row(cells(of: $0, now: time)) }
            + [truncate(Self.count(view.total) + (hidden > 0 ? ", \(hidden) not shown" : ""))]
    }

    private static func count(_ devices: Int) -> String {
        "\(devices) \(devices == 1 ? "device" : "devices")"
    }

    private func footer(_ view: ScanView, shown: Int) -> String {
        if view.isFiltering { return truncate("filter: \(view.filter)_  (Enter, Esc)") }
        guard view.total > 0 else {
            return truncate("No device was discovered yet. q quits.")
        }
        let hidden = view.total > shown ? ", \(view.total - shown) not shown" : ""
        let filter = view.filter.isEmpty ? "" : ", filter \"\(view.filter)\""
        let pause = view.paused == nil ? "" : ", PAUSED"
        let count = Self.count(view.total) + hidden
        let state = ", " + view.order.words + filter + pause
        let forms = [
            count + state + ". Keys: s sorts, f filters, p pauses, q quits, g plots",
            count + state + ". Keys: s f p q g", count + pause + ". Keys: s f p q g",
        ]
        return forms.first { TerminalColumns.count($0) <= size.columns }
            ?? truncate(forms[forms.count - 1])
    }

    /// Returns the row of a device with its signal over time.
    private func plotRow(_ device: DiscoveredDevice, now: Instant) -> String {
        let name = device.name ?? AddressText.describe(device.address)
        let levels = device.history.levels(seconds: plotColumns, until: now)
        return truncate(
            TerminalColumns.fit(name, to: plotNameColumns) + " "
                + TerminalColumns.fit(device.rssi.map { "\($0)" } ?? "", to: Self.levelColumns)
                + SignalPlot.text(levels)
        )
    }

    /// The seconds below the plot.
    private var plotAxis: String {
        let title = TerminalColumns.fit("seconds", to: plotNameColumns + 1 + Self.levelColumns)
        return truncate(title + SignalPlot.axis(seconds: plotColumns))
    }

    private var plotNameColumns: Int { min(Self.nameColumns, max(1, size.columns / 3)) }

    /// One column for each second.
    private var plotColumns: Int {
        let used = plotNameColumns + 1 + Self.levelColumns
        return min(SignalHistory.entryLimit, max(0, size.columns - used))
    }

    /// The strength with its sign, and a space.
    private static let levelColumns = 5

    private func truncate(_ text: String) -> String {
        TerminalColumns.truncate(text, to: size.columns)
    }

    private func cells(of device: DiscoveredDevice, now: Instant) -> [String] {
        [
            device.name ?? "",
            AddressText.describe(device.address),
            device.rssi.map { SignalBar.text(rssi: $0) + " \($0)" } ?? "",
            device.summary,
            Self.age(now - device.lastSeen),
        ]
    }

    /// Returns the cells in columns. On a narrow terminal, the columns of least use are left out.
    private func row(_ cells: [String]) -> String {
        let widths = widths
        var cells = cells
        // A device without a name has at least its address.
        if cells[0].isEmpty, widths[1] == 0 { cells[0] = cells[1] }
        let text = zip(cells, widths).filter { $1 > 0 }
            .map { TerminalColumns.fit($0, to: $1) }.joined(separator: Self.gap)
        return truncate(text)
    }

    /// The widths of the columns; 0 for a column that is left out.
    private var widths: [Int] {
        let columns = size.columns
        let fixed = Self.identifierColumns + Self.signalColumns
        let gap = Self.gap.count
        if columns >= Self.wideColumns {
            let shared = columns - fixed - Self.ageColumns - 4 * gap
            let name = min(Self.nameColumns, max(Self.shortestName, shared / 2))
            return [
                name, Self.identifierColumns, Self.signalColumns, shared - name, Self.ageColumns,
            ]
        }
        let name = columns - fixed - 2 * gap
        if name >= Self.shortestName {
            return [name, Self.identifierColumns, Self.signalColumns, 0, 0]
        }
        return [max(1, columns - Self.signalColumns - gap), 0, Self.signalColumns, 0, 0]
    }

    static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return seconds < 1 ? "now" : seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    private static let titles = ["NAME", "IDENTIFIER", "SIGNAL", "SERVICES", "SEEN"]
    private static let gap = "  "
    private static let nameColumns = 24
    /// The minimum width of the name column on a terminal that also shows the identifiers.
    private static let shortestName = 13
    private static let identifierColumns = 24
    private static let signalColumns = 9
    private static let ageColumns = 6
    /// The minimum width of a terminal that shows all columns.
    static let wideColumns = 74
    /// The titles and the footer.
    private static let fixedLines = 2
}

/// Four rising blocks that show how strong a signal is.
enum SignalBar {
    /// Returns the bar for a strength in dBm: full from -55 up, empty below -95.
    static func text(rssi: Int) -> String {
        let count = thresholds.filter { rssi >= $0 }.count
        return blocks.prefix(count) + String(repeating: " ", count: blocks.count - count)
    }

    private static let blocks = "▂▄▆█"
    private static let thresholds = [-95, -82, -68, -55]
}
