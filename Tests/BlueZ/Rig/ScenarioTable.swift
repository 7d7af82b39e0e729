// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The results of all scenarios: a row for each, and a column for each setting and role of BlueZ.
final class ScenarioTable: Sendable {
    static let shared = ScenarioTable()

    /// A column: the setting, and the role of BlueZ.
    struct Cell: Hashable, Sendable {
        let setting: Setting
        let role: BlueZRole

        static let all = BlueZRole.allCases.flatMap { role in
            Setting.every.map { Cell(setting: $0, role: role) }
        }
    }

    /// The result of one scenario in one column.
    struct Result: Sendable {
        var passed = true
        /// The duration of the scenario, including the reset before it.
        var duration = Duration.zero
        /// The number of times that the scenario ran again after a known fault of BlueZ or Linux.
        var repetitions = 0

        var text: String {
            (passed ? "ok" : "FAILED") + String(repeating: "*", count: repetitions)
        }
    }

    private let results = Mutex<[String: [Cell: Result]]>([:])

    /// Records the result of a scenario, which passes if every run passed.
    func note(_ scenario: String, in cell: Cell, passed: Bool, after duration: Duration = .zero) {
        change(scenario, in: cell) { result in
            result.passed = result.passed && passed
            result.duration += duration
        }
    }

    /// Records that a scenario runs again after a known fault of BlueZ or Linux.
    func noteRepetition(of scenario: String, in cell: Cell) {
        change(scenario, in: cell) { $0.repetitions += 1 }
    }

    private func change(_ scenario: String, in cell: Cell, _ body: (inout Result) -> Void) {
        results.withLock { body(&$0[scenario, default: [:]][cell, default: Result()]) }
    }

    /// Writes the table to the file that `LANYARD_BLUEZ_TABLE` names, or prints it.
    func publish() {
        let text = self.text
        guard !text.isEmpty else { return }
        if let path = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_TABLE"] {
            try? Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } else {
            print(text)
        }
    }

    /// The table as text: `ok` or `FAILED`, with a star for each repetition, or a dash where a
    /// scenario is not tried, and the total time of the row.
    var text: String {
        let results = results.withLock { $0 }
        guard !results.isEmpty else { return "" }
        let heads = ["BlueZ as", "Debian's release", "controllers"].enumerated().map {
            level,
            name in
            Self.line(name, Cell.all.map { $0.heads[level] } + [level == 2 ? "seconds" : ""])
        }
        let rows = results.sorted { $0.key < $1.key }.map { name, row in
            let cells = Cell.all.map { row[$0]?.text ?? "–" }
            let duration = row.values.map(\.duration).reduce(.zero, +)
            return Self.line(name, cells + [Self.seconds(duration)])
        }
        let count = results.values.flatMap(\.values).map(\.repetitions).reduce(0, +)
        let notes = count == 0 ? [] : ["* run once more, after a known fault of BlueZ: \(count)"]
        return (heads + rows + notes).joined(separator: "\n") + "\n"
    }

    /// Returns the seconds with one decimal.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static let nameWidth = 44
    private static let cellWidth = 12

    private static func line(_ name: String, _ cells: [String]) -> String {
        let columns = [padded(name, to: nameWidth)] + cells.map { padded($0, to: cellWidth) }
        let text = columns.joined()
        return String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension ScenarioTable.Cell {
    /// The heading of the column, from top to bottom.
    fileprivate var heads: [String] {
        [role.rawValue, setting.release.rawValue, setting.generation.rawValue]
    }
}
