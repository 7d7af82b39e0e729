// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Synchronization

/// A scan shown as a table that is redrawn in place.
final class LiveScan: Sendable {
    private let console: Console
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    private struct State {
        var values = DiscoveredDevices()
        var area = LiveArea()
        var hasEnded = false
    }

    /// The time between two drawings.
    private static let period = Duration.milliseconds(250)

    init(console: Console, now: @escaping @Sendable () -> Instant) {
        self.console = console
        self.now = now
    }

    /// Shows the discovered devices until the scan ends or the task is canceled. The last table
    /// stays.
    func run(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        defer { try? end() }
        try await FirstResult.of([
            { @Sendable in try await self.receive(scan) },
            { @Sendable in try await self.redraw() },
        ])
    }

    private func receive(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        for try await advertisement in scan {
            let now = now()
            state.withLock { $0.values.receive(advertisement, at: now) }
        }
    }

    private func redraw() async throws {
        while true {
            try draw()
            try await Task.sleep(for: Self.period)
        }
    }

    private func draw() throws {
        let table = ScanTable(size: console.size())
        let now = now()
        try state.withLock { state in
            guard !state.hasEnded else { return }
            try console.write(state.area.draw(table.lines(state.values.sorted, now: now)))
        }
    }

    private func end() throws {
        try draw()
        // The lock keeps a drawing that has begun from coming after the end.
        try state.withLock { state in
            state.hasEnded = true
            try console.write(state.area.end())
        }
    }
}

/// The table of devices that `scan` shows on a terminal.
struct ScanTable: Sendable {
    let size: Console.Size

    /// The table's lines. None is wider than the terminal, and together they are shorter than it.
    func lines(_ devices: [DiscoveredDevice], now: Instant) -> [String] {
        let room = max(1, size.rows - Self.fixedLines)
        let rows = devices.prefix(room).map { line(cells(of: $0, now: now)) }
        return [line(Self.titles)] + rows + [footer(total: devices.count, shown: rows.count)]
    }

    private func footer(total: Int, shown: Int) -> String {
        let hidden = total > shown ? ", \(total - shown) not shown" : ""
        let text = "\(total) \(total == 1 ? "device" : "devices")\(hidden). Ctrl-C ends."
        return TerminalColumns.truncate(text, to: size.columns)
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

    /// Puts cells in columns. Names and services share the width that the other columns leave.
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
