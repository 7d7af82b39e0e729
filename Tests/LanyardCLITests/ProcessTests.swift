// SPDX-License-Identifier: Apache-2.0

import Foundation
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

    @Test("The end of the terminal ends a command as Ctrl-C does, however often it is reported")
    func hangUp() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = folder + "/air"
        let process = try start(["air", "--empty", "--listen", "unix:\(socket)"], after: ":")
        _ = try await process.nextLine(within: Self.limit)
        #expect(FileManager.default.fileExists(atPath: socket))
        for _ in 0..<3 { process.send(signal: SIGHUP) }
        let (_, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: socket))
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
