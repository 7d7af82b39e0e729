// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What came of all scenarios: a row for each, and a column for each BlueZ that it met.
final class ScenarioTable: Sendable {
    static let shared = ScenarioTable()

    /// A column: which BlueZ, and what it was.
    struct Cell: Hashable, Sendable {
        let setting: Setting
        let role: BlueZRole

        static let all = BlueZRole.allCases.flatMap { role in
            Setting.all.map { Cell(setting: $0, role: role) }
        }
    }

    private let results = Mutex<[String: [Cell: Bool]]>([:])
    private let repetitions = Mutex(0)

    /// Notes what came of a scenario; it passed if it did each time.
    func note(_ scenario: String, in cell: Cell, passed: Bool) {
        results.withLock { results in
            let before = results[scenario]?[cell] ?? true
            results[scenario, default: [:]][cell] = before && passed
        }
    }

    /// Notes that a scenario is run once more, because btvirt died in it.
    func noteRepetition() { repetitions.withLock { $0 += 1 } }

    /// Writes the table to the file that `LANYARD_BLUEZ_TABLE` names, or else prints it.
    func publish() {
        let text = self.text
        guard !text.isEmpty else { return }
        if let path = ProcessInfo.processInfo.environment["LANYARD_BLUEZ_TABLE"] {
            try? Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } else {
            print(text)
        }
    }

    /// The table as text: `ok`, `FAILED`, or a dash where a scenario is not for that BlueZ.
    var text: String {
        let results = results.withLock { $0 }
        guard !results.isEmpty else { return "" }
        let heads = ["BlueZ as", "Debian's release", "controllers"].enumerated().map {
            level,
            name in
            Self.line(name, Cell.all.map { $0.heads[level] })
        }
        let rows = results.sorted { $0.key < $1.key }.map { name, row in
            Self.line(name, Cell.all.map { row[$0].map { $0 ? "ok" : "FAILED" } ?? "–" })
        }
        let count = repetitions.withLock { $0 }
        let notes = count == 0 ? [] : ["run once more, because btvirt died: \(count)"]
        return (heads + rows + notes).joined(separator: "\n") + "\n"
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
    /// What stands above the column, from top to bottom.
    fileprivate var heads: [String] {
        [role.rawValue, setting.release.rawValue, setting.generation.rawValue]
    }
}
