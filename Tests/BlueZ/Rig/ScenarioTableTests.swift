// SPDX-License-Identifier: Apache-2.0

import Testing

/// The table of the results of all scenarios.
@Suite struct ScenarioTableTests {
    private let first = ScenarioTable.Cell(setting: Setting.every[0], role: .peripheral)
    private let last = ScenarioTable.Cell(setting: .latest, role: .central)

    @Test("A table without results is empty")
    func empty() {
        #expect(ScenarioTable().text.isEmpty)
    }

    @Test("The table has a row for each scenario and a column for each setting and role")
    func rowsAndColumns() {
        let table = ScenarioTable()
        table.note("reads", in: first, passed: true, after: .milliseconds(1_250))
        table.note("reads", in: last, passed: false, after: .milliseconds(2_250))
        table.note("exploring", in: last, passed: true)
        let rows = table.text.split(separator: "\n").map { $0.split { $0 == " " } }
        #expect(rows.count == 5)
        #expect(
            rows[1].dropFirst(2) == [
                "bookworm", "bookworm", "trixie", "trixie", "bookworm", "bookworm", "trixie",
                "trixie",
            ]
        )
        #expect(rows[3] == ["exploring", "–", "–", "–", "–", "–", "–", "–", "ok", "0.0"])
        #expect(rows[4] == ["reads", "ok", "–", "–", "–", "–", "–", "–", "FAILED", "3.5"])
    }

    @Test("A scenario that failed once stays failed")
    func failure() {
        let table = ScenarioTable()
        for passed in [true, false, true] { table.note("reads", in: first, passed: passed) }
        #expect(table.text.contains("FAILED"))
    }

    @Test("The table counts the repetitions of a scenario")
    func repetitions() {
        let table = ScenarioTable()
        table.note("reads", in: first, passed: true)
        #expect(!table.text.contains("once more"))
        table.noteRepetition(of: "reads", in: last)
        table.note("reads", in: last, passed: true)
        let rows = table.text.split(separator: "\n").map { $0.split { $0 == " " } }
        #expect(rows[3] == ["reads", "ok", "–", "–", "–", "–", "–", "–", "ok*", "0.0"])
        #expect(table.text.hasSuffix("* run once more, after a known fault of BlueZ: 1\n"))
    }
}
