// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import HCITransports
    import Testing

    @testable import LanyardCLI

    @Suite("The command lanyard demo")
    struct DemoTests {
        private func run(
            _ arguments: [String],
            isTerminal: Bool = false
        ) async -> (ProcessStatus, output: String) {
            let output = ScriptedAccessory.Recorder()
            let console = Console(
                isOutputTerminal: isTerminal,
                isRemarkTerminal: false,
                size: { Console.Size(columns: 80, rows: 24) },
                write: { output.note($0) },
                remark: { output.note($0) }
            )
            return (
                await ProgramRun.run(["demo"] + arguments, on: console),
                output.lines.joined()
            )
        }

        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await body(folder)
        }

        @Test("Every chapter is printed, and every check passes")
        func works() async {
            let (status, output) = await run([])
            #expect(status == .success, "\(output)")
            for (number, title) in DemoScript.titles.enumerated() {
                #expect(output.contains("\n── \(number + 1) \(title)\n"))
            }
            #expect(output.contains("All 25 checks passed, "))
            #expect(!output.contains("\u{1B}"))
            #expect(output.contains("reason: Peer removed pairing information (CBError 14)\n"))
            #expect(
                output.contains(
                    "what to do: Pair it again: first remove it with \"lanyard bonds remove\""
                )
            )
        }

        @Test(
            "A packet log that cannot be written fails the command after the story",
            arguments: [true, false]
        )
        func incompleteLog(withPage: Bool) async throws {
            try await withFolder { folder in
                let log = folder + "/logs/1-Phone.btsnoop"
                try FileManager.default.createDirectory(
                    atPath: log,
                    withIntermediateDirectories: true
                )
                let page = withPage ? ["--timeline", folder + "/demo.html"] : []
                let (status, output) = await run(["--trace", folder + "/logs"] + page)
                #expect(status == .inputOutput, "\(output)")
                #expect(output.contains("All 25 checks passed, "))
                #expect(output.contains("lanyard: the packet logs are not complete: "))
                #expect(!output.contains("please report this"))
            }
        }

        @Test("Two runs print the same lines except for the duration")
        func repeats() async {
            let runs = [await run([]).output, await run([]).output]
            let lines = runs.map { $0.split(separator: "\n").dropLast() }
            #expect(lines[0] == lines[1] && lines[0].count > 30)
        }

        @Test("On a terminal, the scene is drawn and removed at the end")
        func draws() async throws {
            let (status, output) = await run(["--fast"], isTerminal: true)
            #expect(status == .success)
            #expect(output.contains("●"))
            #expect(output.contains("links"))
            let last = try #require(output.ranges(of: "\u{1B}[?25h").last)
            #expect(!output[last.upperBound...].contains("\u{1B}"))
        }

        @Test("The options write a packet log of each controller and a page with all of them")
        func leaves() async throws {
            try await withFolder { folder in
                let page = folder + "/page.html"
                let (status, output) = await run(["--trace", folder, "--timeline", page])
                #expect(status == .success, "\(output)")
                for log in ["1-Phone", "2-Strap", "3-Lamp", "4-Scale", "5-Thermometer"] {
                    var count = 0
                    try TraceFile.read("\(folder)/\(log).btsnoop") { _ in count += 1 }
                    #expect(count > 20, "\(log)")
                }
                let html = try String(contentsOfFile: page, encoding: .utf8)
                #expect(
                    html.contains(
                        #""devices":["Phone","Strap","Lamp","Scale","Thermometer"]"#
                    )
                )
                #expect(html.utf8.count < 400 << 10)
                for text in [
                    "outOfRange", "didConnect", "is carried away", "ATT_EXCHANGE_MTU_REQ",
                    "evicted", "notRunning", "The app is terminated.",
                ] {
                    #expect(html.contains(text), "\(text)")
                }
                #expect(!html.contains(#""unsupported""#))
            }
        }

        @Test("The page is written without packet logs")
        func leavesOnlyThePage() async throws {
            try await withFolder { folder in
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: false
                )
                let (status, _) = await run(["--timeline", folder + "/page.html"])
                #expect(status == .success)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder) == ["page.html"]
                )
            }
        }

        @Test("A file that cannot be written is reported")
        func cannotWrite() async throws {
            let (status, output) = await run(["--timeline", "/nowhere/page.html"])
            #expect(status == .inputOutput)
            #expect(output.hasPrefix("lanyard: the page /nowhere/page.html cannot be written; "))
            let (third, directory) = await run(["--timeline", "/tmp"])
            #expect(third == .inputOutput && directory.contains("it is a directory"))
            let (other, text) = await run(["--trace", "/dev/null/logs"])
            #expect(other == .inputOutput && text.contains("cannot be made"))
        }
    }
#endif
