// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// The command lines of the documents, run unchanged on the virtual radio of a `lanyard air`.
@Suite("The command lines of the documents", .serialized)
struct DocumentedCommandTests {
    /// The time in which a command prints the expected text, on a busy machine.
    private static let limit = Duration.seconds(120)

    @Test(
        "Every documented command line that a test can run ends as expected",
        arguments: DocumentedCommand.documents
    )
    func runs(document: String) async throws {
        let commands = try DocumentedCommand.all(in: document).filter { $0.obstacle == nil }
        guard !commands.isEmpty else { return }
        try await withWorkspace { workspace in
            var running: ChildProcess?
            for command in commands {
                if !command.needsEarlier {
                    try await workspace.interrupt(running, within: Self.limit)
                }
                let next = try await workspace.run(command, within: Self.limit)
                if command.needsEarlier {
                    try await workspace.interrupt(next, within: Self.limit)
                } else {
                    running = next
                }
            }
            try await workspace.interrupt(running, within: Self.limit)
        }
    }

    @Test("The documents have over 40 command lines, and each obstacle applies to at least one")
    func finds() throws {
        let all = try DocumentedCommand.documents.flatMap(DocumentedCommand.all)
        #expect(all.count > 40)
        #expect(all.filter { $0.obstacle == nil }.count > 30)
        for part in DocumentedCommand.obstacles.keys {
            #expect(all.contains { $0.line.contains(part) }, "\(part)")
        }
    }

    /// A folder with the files that the documents name, and a virtual radio.
    private struct Workspace: Sendable {
        let folder: String
        let adapter: String

        /// Runs a command. Returns its process if it does not end by itself.
        func run(
            _ command: DocumentedCommand,
            within limit: Duration
        ) async throws -> ChildProcess? {
            // With `exec` the command replaces the shell, so a signal reaches it.
            let isPipe = command.shellLine.contains(" | ")
            let line =
                "exec 2>&1; cd '\(folder)' || exit; \(isPipe ? "" : "exec ")\(command.shellLine)"
            let process = try ChildProcess("/bin/sh", ["-c", line], environment: environment)
            // `lanyard shell` reads lines until its input ends.
            if command.shellLine.hasPrefix("lanyard shell") { process.closeInput() }
            switch command.ending {
            case .byItself(let codes):
                let (output, ending) = try await process.waitUntilEnd(within: limit)
                #expect(
                    codes.contains { ending == .exited($0) },
                    "\(command.line): \(ending) \(output)"
                )
                return nil
            case .interrupted(let text):
                try await process.wait(for: [text, Self.isTaken], within: limit)
                return process
            }
        }

        /// Ends a command by the signal of Ctrl-C.
        func interrupt(_ process: ChildProcess?, within limit: Duration) async throws {
            guard let process else { return }
            process.send(signal: SIGINT)
            let (output, ending) = try await process.waitUntilEnd(within: limit)
            let normal: [ChildProcess.Ending] = [.exited(0), .exited(130), .exited(69)]
            let isNormal = normal.contains(ending)
            #expect(isNormal, "\(ending) \(output)")
        }

        /// The error if a program outside the tests uses the address that a document names.
        private static let isTaken = "in use"

        private var environment: [String: String] {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let tool = URL(fileURLWithPath: LanyardTool.path).deletingLastPathComponent().path
            return [
                "PATH": "\(tool):\(path)", "LANYARD_ADAPTER": adapter,
                "LANYARD_TIMEOUT": "60", "XDG_STATE_HOME": folder + "/state",
            ]
        }
    }

    private func withWorkspace(_ body: (Workspace) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.addFiles(to: folder)
        let air = try ChildProcess(
            LanyardTool.path,
            ["air", "--listen", "tcp:127.0.0.1:0", "--json", "--until-end-of-input"],
            environment: [:]
        )
        let line = try #require(try await air.nextLine(within: Self.limit))
        let ready = try ProcessTestSupport.JSON(parsing: line)
        let adapter = try #require(ready["listen"].elements.first?.text)
        do {
            try await body(Workspace(folder: folder, adapter: adapter))
        } catch {
            air.kill()
            throw error
        }
        air.closeInput()
        _ = try await air.waitUntilEnd(within: Self.limit)
    }

    /// Creates the files that the documents name.
    private static func addFiles(to folder: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/Examples",
            withDestinationPath: DocumentedCommand.root("Examples")
        )
        let recorder = FlightRecorder()
        recorder.record(.note, "a note", of: "Lamp", at: .seconds(1))
        let log = "btsnoop\0" + "\0\0\0\u{1}" + "\0\0\u{3}"
        var bytes = Data(log.utf8)
        bytes.append(0xEA)
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>NSBluetoothAlwaysUsageDescription</key><string>To find lamps.</string>
            </dict></plist>
            """
        let files = [
            "packets.btsnoop": bytes,
            "flight.jsonl": Data(recorder.recording.jsonLines.utf8),
            "App.app/Info.plist": Data(plist.utf8),
        ]
        for (name, data) in files {
            let url = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url)
        }
    }
}

extension ChildProcess {
    /// Waits until a line of the output contains one of the texts.
    fileprivate func wait(for texts: [String], within limit: Duration) async throws {
        var passedOver = ""
        while let line = try await nextLine(within: limit) {
            if texts.contains(where: { line.contains($0) }) { return }
            passedOver += line + "\n"
        }
        throw ProcessError.ended("it ended before '\(texts[0])'", log: passedOver)
    }
}
