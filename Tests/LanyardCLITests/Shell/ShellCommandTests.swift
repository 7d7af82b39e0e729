// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing
import VirtualAccessories

@testable import LanyardCLI

@Suite("Scripts on the virtual radio", .serialized)
struct ShellCommandTests {
    struct Run: Sendable {
        let status: ProcessStatus
        let output: String
        let remarks: String
    }

    /// Runs the command with these lines on standard input.
    private func run(_ arguments: [String], input: String? = nil) async -> Run {
        let output = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        var console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let lines = (input ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            .map { InputLine(text: String($0), readAt: .now) }
        console.lines = {
            AsyncStream { feed in
                for line in lines { feed.yield(line) }
                feed.finish()
            }
        }
        let options = ["--adapter", "virtual", "--timeout", "60", "--no-store"]
        let status = await ProgramRun.run(arguments + options, on: console)
        return Run(
            status: status,
            output: output.lines.joined(),
            remarks: remarks.lines.joined()
        )
    }

    private func shell(_ input: String, _ options: String...) async -> Run {
        await run(["shell"] + options, input: input)
    }

    @Test("A script on standard input ends at the first line that fails")
    func unreadLines() async throws {
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", #"printf 'echo one\nfoo\necho two\n' | "$0" shell --adapter virtual"#,
                LanyardTool.path,
            ]
        )
        let (output, ending) = try await process.waitUntilEnd(within: .seconds(120))
        #expect(ending == .exited(ProcessStatus.usage.rawValue))
        #expect(output == "one\n")
    }

    private func script(_ text: String, _ options: String...) async throws -> Run {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).lanyard"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let run = await run(["run", path] + options)
        return Run(
            status: run.status,
            output: run.output,
            remarks: run.remarks.replacing(path, with: "SCRIPT")
        )
    }

    @Test(
        "There is an example script for every accessory of the virtual radio, and each passes",
        arguments: ExampleAccessories.kinds
    )
    func examples(kind: String) async {
        let path = DocumentedCommand.root("Examples/Scripts/\(kind).lanyard")
        let run = await run(["run", path])
        #expect(run.status == .success, "\(run.remarks)")
        #expect(run.output.contains(#/\.lanyard: \d+ steps passed in /#), "\(run.output)")
    }

    @Test("A failed expectation names the file, the line, and both values")
    func unmet() async throws {
        let run = try await script("decode 2A19 57\n\nexpect equals 01\necho never")
        #expect(run.status == .unmet && run.status.rawValue == 1)
        #expect(run.remarks == "lanyard: SCRIPT:3: expected the value 01, but the result is 57\n")
        #expect(run.output == "87 %\n")
    }

    @Test("A script with an invalid line is refused before its first line runs")
    func fault() async throws {
        let run = try await script("echo first\nraed 2A19")
        #expect(run.status == .badData && run.output.isEmpty)
        #expect(
            run.remarks.hasPrefix(
                "lanyard: SCRIPT:2: 'raed' is not a command; did you mean 'read'?"
            )
        )
    }

    @Test("A failed command ends the script with its own exit code")
    func failure() async throws {
        let run = try await script("connect Thermometer\nread 2A37\necho never")
        #expect(run.status == .notFound && !run.output.contains("never"))
        #expect(
            run.remarks.contains(
                "SCRIPT:2: the accessory has no characteristic 2A37; 'explore' lists"
            )
        )
        let refused = try await script("connect Thermometer\nwrite 2A6E 00")
        #expect(refused.status == .refused)
    }

    @Test("With --keep-going, the other lines run, and the exit code is that of the first failure")
    func keepGoing() async {
        let run = await shell(
            "expect equals 01\ndecode 2A19 57\nexpect equals 01\necho end",
            "--keep-going"
        )
        #expect(run.status == .usage)
        #expect(run.output == "87 %\nend\n")
        #expect(run.remarks.contains("standard input:1: there is no result yet"))
        #expect(run.remarks.contains("standard input:3: expected the value 01"))
        #expect(run.remarks.hasSuffix("lanyard: standard input: 2 of 4 steps failed\n"))
    }

    @Test("A written value can be read over the next link, and the end of a link is reported")
    func lastingWorld() async {
        let lamp = "4C414E59-4152-4400-A000-000000001A01"
        let run = await shell(
            """
            connect "Battery Lamp"
            write \(lamp) 01
            disconnect
            connect
            read \(lamp)
            expect equals 01
            disconnect
            connect "Lanyard Demo"
            fails write 4C414E59-4152-4400-A000-000000000006 0300000000
            wait disconnected
            fails mtu
            expect contains "no device is connected"
            """
        )
        #expect(run.status == .success, "\(run.remarks)")
        #expect(
            run.output.contains(
                "The link to Lanyard Demo ended: remote user terminated connection."
            )
        )
        #expect(!run.remarks.contains("passing"))
    }

    @Test("Limits end a line and a script")
    func limits() async throws {
        let step = try await script("connect Thermometer\nwait disconnected within 0.05")
        #expect(step.status == .timedOut)
        #expect(
            step.remarks.contains(
                "SCRIPT:2: waiting for the end of the link: not done within 0.05 s"
            )
        )
        let whole = try await script("wait 60", "--limit", "0.05")
        #expect(whole.status == .timedOut)
        #expect(
            whole.remarks.contains("SCRIPT:1: the script takes longer than its limit of 0.05 s")
        )
        let line = try await script("timeout 0.05\nwait device Nowhere")
        #expect(
            line.status == .timedOut && line.remarks.contains("waiting for 'Nowhere': not done")
        )
    }

    @Test("Variables come from the command line")
    func variables() async throws {
        let run = try await script("echo \"$a $b\"", "--set", "a=1", "--set", "b=2=3")
        #expect(run.status == .success && run.output.hasPrefix("1 2=3\n"))
        let missing = try await script("echo $a")
        #expect(missing.status == .badData)
        #expect(try await script("echo", "--set", "a").status == .usage)
        #expect(try await script("echo", "--set", "1=2").status == .usage)
    }

    @Test("A pairing in a script fails without an answer, and with the answer no")
    func pairing() async {
        let run = await shell(
            """
            connect "Front Door"
            fails pair --mitm --io display-yes-no
            answer no
            fails pair --mitm
            status
            expect contains "not encrypted"
            """
        )
        #expect(run.status == .success, "\(run.remarks) \(run.output)")
        #expect(run.output.contains("failed, as expected: pairing: "))
    }

    @Test("A command reports a missing link, subscription or earlier target")
    func missing() async {
        let run = await shell(
            """
            fails connect
            mtu
            """,
            "--keep-going"
        )
        #expect(run.remarks.contains("standard input:1: there is no device to connect to again"))
        #expect(
            run.remarks.contains("standard input:2: no device is connected; use 'connect TARGET'")
        )
        let other = await shell(
            """
            connect Thermometer
            wait notification 2A6E
            """
        )
        #expect(other.status == .notFound)
        #expect(
            other.remarks.contains(
                "there is no subscription to 2A6E; use 'subscribe CHARACTERISTIC'"
            )
        )
        let second = await shell("connect Thermometer\nconnect Thermometer\n")
        #expect(
            second.status == .usage
                && second.remarks.contains("is connected; use 'disconnect' first")
        )
    }

    @Test("A characteristic that a line names several times is one subscription")
    func repeatedSubscription() async {
        let count = CharacteristicSubscriptions.limit + 1
        let names = Array(repeating: "2A6E", count: count).joined(separator: " ")
        let run = await shell("connect Thermometer\nsubscribe \(names)\nstatus")
        #expect(run.status == .success, "\(run.remarks)")
    }

    @Test("The parameters and the physical layers of the link change")
    func link() async {
        let run = await shell(
            """
            connect Thermometer
            parameters 30-50 0 4000
            expect matches "^interval (3|4|5)[0-9.]* ms, latency 0, timeout 4000 ms$"
            phy 2M
            expect equals "sends on LE 2M, receives on LE 2M"
            rssi
            expect between -100 -20
            """
        )
        #expect(run.status == .success, "\(run.remarks) \(run.output)")
    }
}
