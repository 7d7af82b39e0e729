// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LanyardCLI

@Suite("lanyard demo --hosts")
struct HostDemoTests {
    private func run(_ arguments: [String]) async -> (ProcessStatus, output: String) {
        let output = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { output.note($0) }
        )
        return (await ProgramRun.run(arguments, on: console), output.lines.joined())
    }

    @Test("works, checks what it shows, and says so")
    func works() async {
        let (status, output) = await run(["demo", "--hosts"])
        #expect(status == .success, "\(output)")
        #expect(output.contains("All of it worked: 44 things checked, "))
        for text in ["ready: ", "connected: ", "subscribed: ", "refused: ", "disconnected: "] {
            #expect(output.contains(text))
        }
    }

    @Test("is the same in every run, but for how long it takes")
    func repeats() async {
        let runs = [await run(["demo", "--hosts"]).output, await run(["demo", "--hosts"]).output]
        let lines = runs.map { $0.split(separator: "\n").dropLast() }
        #expect(lines[0] == lines[1] && lines[0].count > 50)
    }

    @Test("fails at the first thing that is not as it should be")
    func fails() throws {
        let console = Console.standard
        let report = DemoReport(console: console)
        try report.check(true, "")
        let failure = try #require(throws: ProgramFailure.self) {
            try report.check(false, "it is not so")
        }
        #expect(failure.status == .internalError && failure.happened.hasSuffix("it is not so"))
        #expect(report.checks == 1)
    }

    @Test("prints a database that can be served")
    func database() async throws {
        let (status, output) = await run(["demo", "--database"])
        #expect(status == .success)
        #expect(try ServedAccessory(parsing: output).name == "Lanyard Demo")
    }
}
