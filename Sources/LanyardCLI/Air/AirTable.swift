// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import VirtualRadio

/// The table that `air` shows on a terminal: controllers, connections and signal strengths.
struct AirTable: Sendable {
    let size: Console.Size
    /// The text above the table: the addresses for hosts, and the seed.
    let heading: String

    /// Returns the lines of the table, at least one. No line is wider than the terminal. The lines
    /// leave the last row of the terminal free for the cursor. If the terminal has fewer than 11
    /// rows, the last lines of the table may be missing.
    func lines(_ status: WorldStatus) -> [String] {
        let rows = max(2, size.rows - Self.fixedLines)
        let links = screenLines(status) + linkLines(status, limit: rows / 2)
        let controllers = status.controllers.prefix(max(1, rows - links.count))
        let hidden = status.controllers.count - controllers.count
        let lines =
            [fit("\(heading), \(Self.clock(status.instant))"), row(Self.titles)]
            + controllers.map { row(cells(of: $0)) }
            + (hidden > 0 ? [fit("\(hidden) more")] : [])
            + links
            + [fit("Ctrl-C ends.")]
        return Array(lines.prefix(max(1, size.rows - 1)))
    }

    private func cells(of controller: WorldStatus.Controller) -> [String] {
        [
            TerminalText.escape(controller.label),
            "\(controller.publicAddress)",
            controller.isOn ? Self.place(controller.position) : "off",
            "\(controller.fromHostCount)",
            "\(controller.toHostCount)",
        ]
    }

    /// Returns a line for each of the last displays of accessories. A person enters or compares the
    /// text of a display on the other device.
    private func screenLines(_ status: WorldStatus) -> [String] {
        status.controllers.compactMap { controller in
            controller.screen.map { fit("\(TerminalText.escape(controller.label)) shows \($0)") }
        }.suffix(Self.screenLimit)
    }

    private func linkLines(_ status: WorldStatus, limit: Int) -> [String] {
        let names = status.airLinks
        let lines = status.links.prefix(limit).map { link in
            let name = names[link.number]?.text ?? "link \(link.number)"
            let strengths = [link.centralRSSI, link.peripheralRSSI].map { rssi in
                rssi.map { "\(SignalBar.text(rssi: $0)) \($0) dBm" } ?? "not received"
            }
            let pace = SecondsText.describe(link.interval)
            return fit("\(name)  \(strengths.joined(separator: " / "))  every \(pace)")
        }
        let hidden = status.links.count - lines.count
        return lines + (hidden > 0 ? [fit("\(hidden) more links")] : [])
    }

    /// Returns the cells in columns. On a narrow terminal, the address and then the counts are left
    /// out.
    private func row(_ cells: [String]) -> String {
        var shown = Array(Self.widths.indices)
        var others: Int { shown.reduce(0) { $0 + Self.widths[$1] + Self.gap.count } }
        for columns in [[0], [2, 3]] where size.columns < Self.leastNameColumns + others {
            shown.removeAll { columns.contains($0) }
        }
        let name = max(Self.leastNameColumns, min(Self.nameColumns, size.columns - others))
        let rest = shown.map { TerminalColumns.fit(cells[$0 + 1], to: Self.widths[$0]) }
        return fit(
            ([TerminalColumns.fit(cells[0], to: name)] + rest).joined(separator: Self.gap)
        )
    }

    private func fit(_ text: String) -> String {
        TerminalColumns.truncate(text, to: size.columns)
    }

    /// Returns a position as meters to the east and to the north, and up if that is not zero.
    static func place(_ position: Position) -> String {
        let height = position.z == 0 ? [] : [position.z]
        return ([position.x, position.y] + height).map(meters).joined(separator: ", ") + " m"
    }

    private static func meters(_ number: Double) -> String {
        DecimalText.describe(Int((number * 10).rounded()), exponent: -1)
    }

    /// Returns a time as hours, minutes and seconds.
    static func clock(_ instant: Instant) -> String {
        let seconds = instant.nanoseconds / 1_000_000_000
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { part in
            (part < 10 ? "0" : "") + String(part)
        }.joined(separator: ":")
    }

    /// The maximum number of displays that the table shows.
    private static let screenLimit = 2
    private static let titles = ["CONTROLLER", "ADDRESS", "PLACE", "FROM HOST", "TO HOST"]
    private static let nameColumns = 24
    /// The minimum width of the name column. On a narrow terminal, other columns are left out or
    /// cut off instead.
    private static let leastNameColumns = 12
    /// The widths of the columns other than the name.
    private static let widths = [24, 18, 9, 9]
    private static let gap = "  "
    /// Heading, titles, two "more" lines, the footer, and the line the cursor is in.
    private static let fixedLines = 6
}
