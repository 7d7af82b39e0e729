// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import ProcessTestSupport
import Testing

@testable import LanyardCLI

@Suite("The process, its standard streams and its signals")
struct ProcessTests {
    private static let limit = Duration.seconds(120)

    /// Starts the tool through a shell, which first runs `setUp`, for example a redirection.
    private func start(
        _ arguments: [String],
        after setUp: String,
        adapter: String = "virtual"
    ) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            ["-c", setUp + #"; exec "$0" "$@""#, LanyardTool.path] + arguments,
            environment: LanyardTool.environment(adapter: adapter)
        )
    }

    @Test(
        "A command without standard output fails and says so",
        arguments: ["exec >&-", "exec <&- >&-"]
    )
    func noOutput(redirection: String) async throws {
        let process = try start(["read", "Thermometer", "2A19"], after: redirection)
        let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(ProcessStatus.inputOutput.rawValue))
        #expect(process.log.contains("the output cannot be written: it is closed; "))
    }

    @Test("A command without standard input reads the end of the input")
    func noInput() async throws {
        let process = try start(["shell"], after: "exec <&-")
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0))
        #expect(output.isEmpty && process.log.isEmpty, "\(output) \(process.log)")
    }

    @Test("No file of a command without standard streams has the number of a stream")
    func noStreams() async throws {
        let script = #"""
            exec 3>&1 <&- >&- 2>&-
            "$0" trace --follow /nonexistent 3>&- &
            process=$!
            until [ -e /proc/$process/fd/2 ]; do kill -0 $process || exit; done
            readlink /proc/$process/fd/0 /proc/$process/fd/1 /proc/$process/fd/2 >&3
            kill $process
            """#
        let process = try ChildProcess("/bin/sh", ["-c", script, LanyardTool.path])
        let (output, _) = try await process.waitUntilEnd(within: Self.limit)
        #expect(output == "/dev/null\n/dev/null\n/dev/null\n")
    }

    @Test("The database of serve may be a pipe")
    func pipe() async throws {
        let process = try start(["serve", "--check", "/dev/stdin"], after: ":")
        process.write(line: #"{"name": "Piped"}"#)
        process.closeInput()
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0), "\(process.log)")
        #expect(output.hasPrefix("Piped  "))
    }

    @Test(
        "Ctrl-C ends a command that waits for the partner of a pipe",
        arguments: [["unopened"], ["silent"], ["-o", "unopened"]]
    )
    func waitingForPartner(arguments: [String]) async throws {
        try await withFolder { folder in
            for name in ["recording", "unopened", "silent"] {
                try #require(mkfifo("\(folder)/\(name)", 0o600) == 0)
            }
            let silent = open("\(folder)/silent", O_RDWR)
            defer { close(silent) }
            try FlightRecording().jsonLines
                .write(toFile: folder + "/flight", atomically: true, encoding: .utf8)
            // The command has read the recording when it waits at the second pipe.
            let process = try start(
                ["timeline", "recording"] + arguments,
                after: "cd '\(folder)'; (cat flight > recording; echo read) & :"
            )
            #expect(try await process.nextLine(within: Self.limit) == "read")
            process.send(signal: SIGINT)
            let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
            #expect(ending == .exited(ProcessStatus.interrupted.rawValue), "\(process.log)")
        }
    }

    @Test("A page that cannot be written as a whole leaves the old page, and others keep its mode")
    func tornPage() async throws {
        try await withFolder { folder in
            let page = folder + "/flight.html"
            let recording = folder + "/flight.jsonl"
            try FlightRecording().jsonLines
                .write(toFile: recording, atomically: true, encoding: .utf8)
            try "old".write(toFile: page, atomically: true, encoding: .utf8)
            let process = try start(
                ["timeline", recording],
                after: "trap '' XFSZ; ulimit -f 1"
            )
            let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
            #expect(ending == .exited(ProcessStatus.inputOutput.rawValue))
            #expect(process.log.contains("cannot be written"))
            #expect(try String(contentsOfFile: page, encoding: .utf8) == "old")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.sorted() == ["flight.html", "flight.jsonl"])
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: page)
            let whole = try start(["timeline", recording], after: ":")
            #expect(try await whole.waitUntilEnd(within: Self.limit).1 == .exited(0))
            let attributes = try FileManager.default.attributesOfItem(atPath: page)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int ?? 0 > 512)
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test("The end of the terminal ends a command as Ctrl-C does, however often it is reported")
    func hangUp() async throws {
        try await withFolder { folder in
            let socket = folder + "/air"
            let process = try start(["air", "--empty", "--listen", "unix:\(socket)"], after: ":")
            _ = try await process.nextLine(within: Self.limit)
            #expect(FileManager.default.fileExists(atPath: socket))
            for _ in 0..<3 { process.send(signal: SIGHUP) }
            let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
            #expect(ending == .exited(0))
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }

    @Test("A command that nohup started outlives its terminal")
    func noHangUp() async throws {
        let process = try start(["shell"], after: #"trap "" HUP"#)
        process.write(line: "echo one")
        #expect(try await process.nextLine(within: Self.limit) == "one")
        process.send(signal: SIGHUP)
        process.write(line: "echo two")
        #expect(try await process.nextLine(within: Self.limit) == "two")
        process.closeInput()
        let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0))
    }
}
