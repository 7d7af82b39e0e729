// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import ProcessTestSupport
import Testing

@testable import LanyardCLI

@Suite("Packet logs that are being written")
struct FollowTests {
    private let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"

    private static func record(_ opcode: UInt8, at time: Int64) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: time,
            direction: .sent,
            packet: [0x01, opcode, 0x0C, 0x00][...]
        )
    }

    /// Runs a command while the body reads its lines. Returns how it ended after its cancellation.
    private func running(
        _ arguments: [String],
        _ body: (inout AsyncStream<String>.Iterator) async throws -> Void
    ) async throws -> ProcessStatus {
        let (output, feed) = AsyncStream.makeStream(of: String.self)
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { for line in $0.split(separator: "\n") { feed.yield(String(line)) } },
            remark: { feed.yield($0) }
        )
        let program = Task {
            let status = await ProgramRun.run(arguments, on: console)
            feed.finish()
            return status
        }
        var lines = output.makeAsyncIterator()
        defer { program.cancel() }
        try await body(&lines)
        program.cancel()
        return await program.value
    }

    private func withFolder(_ body: () async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body()
    }

    @Test(
        "trace --follow prints packets as they are written, and those of a new log",
        .timeLimit(.minutes(5))
    )
    func follows() async throws {
        try await withFolder {
            let path = folder + "/live.btsnoop"
            let status = try await running(["trace", path, "--follow"]) { lines in
                let first = try TraceFile(creatingAt: path)
                first.append(Self.record(0x03, at: 1_000_000))
                first.flush()
                #expect(await lines.next()?.hasSuffix("Reset") == true)
                first.append(Self.record(0x03, at: 1_500_000))
                first.flush()
                #expect(await lines.next()?.contains("0.500000") == true)
                let second = try TraceFile(creatingAt: path)
                second.append(Self.record(0x03, at: 3_000_000))
                second.flush()
                #expect(await lines.next()?.contains("2.000000") == true)
            }
            #expect(status == .interrupted)
        }
    }

    @Test("trace --follow of a directory prints all its logs", .timeLimit(.minutes(5)))
    func directories() async throws {
        try await withFolder {
            let status = try await running(["trace", folder, "--follow", "--json"]) { lines in
                for name in ["a", "b"] {
                    let log = try TraceFile(creatingAt: folder + "/\(name).btsnoop")
                    log.append(Self.record(0x03, at: 1))
                    log.flush()
                    #expect(await lines.next()?.contains("Reset") == true)
                }
            }
            #expect(status == .interrupted)
        }
    }

    @Test("trace --follow reports that a file is not a packet log", .timeLimit(.minutes(5)))
    func wrongFile() async throws {
        try await withFolder {
            let path = folder + "/x"
            try Data("no packet log at all".utf8).write(to: URL(fileURLWithPath: path))
            let status = try await running(["trace", path, "--follow"]) { lines in
                #expect(await lines.next()?.contains("not a btsnoop file") == true)
            }
            #expect(status == .badData)
        }
    }

    @Test("trace --follow refuses --keys, even if the file does not exist", .timeLimit(.minutes(5)))
    func keys() async throws {
        let arguments = ["trace", folder + "/none", "--follow", "--keys", folder + "/keys"]
        let status = try await running(arguments) { lines in
            let line = await lines.next()
            #expect(line?.contains("--keys and --follow exclude each other") == true)
        }
        #expect(status == .usage)
    }

    @Test("The capture source has an interface, a link type and an option", .timeLimit(.minutes(5)))
    func interface() async throws {
        _ = try await running(["extcap", "--extcap-interfaces"]) { lines in
            #expect(await lines.next()?.hasPrefix("extcap {version=") == true)
            #expect(await lines.next()?.hasPrefix("interface {value=lanyard}") == true)
        }
        let asked = ["extcap", "--extcap-interface", "lanyard"]
        _ = try await running(asked + ["--extcap-dlts"]) { lines in
            #expect(await lines.next()?.hasPrefix("dlt {number=201}") == true)
        }
        _ = try await running(asked + ["--extcap-config"]) { lines in
            #expect(await lines.next()?.contains("{call=--log}") == true)
        }
        _ = try await running(["extcap", "--extcap-interface", "x", "--extcap-dlts"]) { lines in
            #expect(await lines.next()?.contains("'x' is not an interface") == true)
        }
        _ = try await running(asked + ["--capture"]) { lines in
            #expect(await lines.next()?.contains("needs --fifo and --log") == true)
        }
    }

    private static let tshark = "/usr/bin/tshark"

    @Test(
        "tshark captures the packets of a command while it runs",
        .timeLimit(.minutes(10)),
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: tshark),
            "this machine has no tshark"
        )
    )
    func wireshark() async throws {
        try await withFolder {
            // The test starts the capture source as Wireshark would, because a privileged user
            // cannot make Wireshark start it.
            let (log, pipe) = (folder + "/packets.btsnoop", folder + "/pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let source = try ChildProcess(
                LanyardTool.path,
                [
                    "extcap", "--capture", "--extcap-interface", "lanyard", "--fifo", pipe,
                    "--log", log,
                ]
            )
            let shark = try ChildProcess(
                Self.tshark,
                [
                    "-l", "-i", pipe, "-c", "40", "-T", "fields", "-e", "frame.interface_name",
                    "-e", "_ws.col.Info",
                ],
                environment: ["HOME": folder]
            )
            let program = Task {
                try await running([
                    "read", "Thermometer", "2A6E", "--adapter", "virtual", "--trace", log,
                    "--timeout", "60",
                ]) { lines in
                    let line = await lines.next()
                    #expect(line?.contains("°C") == true, "\(line ?? "no line")")
                }
            }
            let (output, ending) = try await shark.waitUntilEnd(within: .seconds(300))
            #expect(ending == .exited(0), "\(shark.log)")
            #expect(output.contains("packets.btsnoop\t"), "\(output) \(shark.log)")
            #expect(output.contains("Sent Reset"), "\(output) \(shark.log)")
            _ = try await program.value
            // The capture source ends by itself at its next record, because its reader has ended.
            let next = try TraceFile(creatingAt: log)
            next.append(Self.record(0x03, at: 1))
            next.flush()
            let (_, end) = try await source.waitUntilEnd(within: .seconds(60))
            #expect(end == .exited(0), "\(source.log)")
        }
    }
}
