// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// The programs in Examples/, which contain no code for tests, on a virtual adapter.
@Suite struct VirtualExampleTests {
    @Test("The heart rate monitor shows the values of a virtual sensor")
    func heartRate() async throws {
        let monitor = try ExampleProgram(.heartRateMonitor, ["5"], adapter: "virtual")
        let (lines, ending) = try await monitor.end()
        #expect(ending == .exited(0), "\(monitor.process.log)")
        #expect(lines.prefix(2) == ["Bluetooth is on", "Looking for a heart rate sensor"])
        #expect(lines.count { $0.hasSuffix("beats per minute") } == 5)
        #expect(lines.last == "That was the last of 5")
    }

    @Test(
        "The examples report a missing adapter",
        arguments: [ExampleProgram.Name.heartRateMonitor, .notebookPeripheral]
    )
    func missingAdapter(name: ExampleProgram.Name) async throws {
        let program = try ExampleProgram(name, adapter: "nonsense")
        let (lines, ending) = try await program.end()
        #expect(lines == ["Bluetooth is not available on this computer"])
        #expect(ending == .exited(1))
    }
}

/// The heart rate monitor with a Bumble accessory that disconnects and returns.
@Suite(.needsPeers) struct HeartRateExampleTests {
    @Test("The heart rate monitor reconnects to a sensor that returns")
    func returningSensor() async throws {
        try await withAir { air in
            let sensor = try await air.accessory()
            let monitor = try ExampleProgram(.heartRateMonitor, adapter: air.adapter)
            try await monitor.awaitOutput("Found Lanyard Demo")
            try await monitor.awaitOutput("Listening to Lanyard Demo")
            for _ in 0..<5 { try await monitor.awaitOutput(ending: "beats per minute") }
            sensor.process.kill()
            for _ in 0..<2 {
                try await monitor.awaitOutput("Lost Lanyard Demo")
                let again = try await air.accessory()
                try await monitor.awaitOutput("Connected to Lanyard Demo")
                try await monitor.awaitOutput("Listening to Lanyard Demo")
                try await monitor.awaitOutput(ending: "beats per minute")
                again.process.kill()
            }
            try await monitor.awaitOutput("Lost Lanyard Demo")
        }
    }
}

/// The notebook with a Bumble central.
@Suite(.needsPeers) struct NotebookExampleTests {
    private static func uuid(_ number: Int) -> BluetoothUUID {
        guard let uuid = BluetoothUUID("7B2F000\(number)-9C5B-4E36-8C1E-3D5E6B1A0C11") else {
            preconditionFailure("\(number) is not a digit of a UUID")
        }
        return uuid
    }

    /// Opens a notebook, and has a client connect to it.
    private func withNotebook(
        _ body: (ExampleProgram, Client) async throws -> Void
    ) async throws {
        try await withAir { air in
            let notebook = try ExampleProgram(.notebookPeripheral, adapter: air.adapter)
            try await notebook.awaitOutput("The notebook is open")
            let client = try await air.peers.client(on: air.adapter)
            try await client.connect(name: "Notebook", mtu: 60)
            try await body(notebook, client)
        }
    }

    @Test("A Bumble client reads and writes pages of the notebook in parts")
    func pages() async throws {
        try await withNotebook { notebook, client in
            let title = try await client.handle(Self.uuid(2))
            let page = try await client.handle(Self.uuid(3))
            #expect(try await client.read(title) == Array("Notebook".utf8))
            #expect(try await client.readLong(page) == Array("Dear diary,\n".utf8))
            let text = Demo.pattern(512)
            try await client.writeLong(text, to: page)
            try await notebook.awaitOutput("The page has 512 bytes now")
            #expect(try await client.readLong(page) == text)
            #expect(try await client.readBlob(page, 500) == Array(text[500...]))
            await #expect(throws: Client.Failure.refused(.invalidOffset)) {
                try await client.readBlob(page, 513)
            }
            try await client.write(Array("short".utf8), to: page)
            #expect(try await client.readLong(page) == Array("short".utf8))
        }
    }

    @Test("The notebook refuses all parts of a write if one of them is invalid")
    func invalidPart() async throws {
        try await withNotebook { _, client in
            let page = try await client.handle(Self.uuid(3))
            try await client.prepare(Array("never".utf8), at: 0, of: page)
            try await client.prepare(Array("seen".utf8), at: 511, of: page)
            await #expect(throws: Client.Failure.refused(.invalidAttributeValueLength)) {
                try await client.execute()
            }
            #expect(try await client.readLong(page) == Array("Dear diary,\n".utf8))
        }
    }

    @Test("All lines of a fast dictation arrive in order")
    func dictatedLines() async throws {
        try await withNotebook { notebook, client in
            let dictation = try await client.handle(Self.uuid(4))
            let command = try await client.handle(Self.uuid(5))
            try await client.subscribe(to: dictation)
            try await notebook.awaitOutput("A central listens, 57 bytes at a time")
            try await client.write(Array("dictate 500".utf8), to: command)
            let lines = try await client.values(500, of: dictation)
                .map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(lines == (0..<500).map { "line \($0)" })
            try await notebook.awaitOutput("Dictated all")
            client.process.kill()
            try await notebook.awaitOutput("The central has left")
        }
    }
}

extension Client {
    /// Sends one Read Blob Request, and returns the part of the value.
    fileprivate func readBlob(_ handle: AttributeHandle, _ offset: Int) async throws -> [UInt8] {
        let details: [String: JSON] = [
            "handle": .handle(handle), "offset": .number(Double(offset)),
        ]
        return try await perform("read_blob", details).bytes
    }
}

/// The file transfer with Bumble as the peer, and with a second copy of itself.
@Suite(.needsPeers) struct FileDropExampleTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("lanyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func bumble(_ air: Air, _ arguments: [String]) async throws -> Peer {
        let script = PeerInstallation.scripts + "drop.py"
        return try await air.peers.start(
            PeerInstallation.python,
            [script, "--adapter", air.adapter] + arguments,
            within: Air.visitLimit
        )
    }

    /// Returns a file of bytes that count upward.
    private func file(_ count: Int, in folder: URL) throws -> URL {
        let file = folder.appendingPathComponent("picture.raw")
        try Data(Demo.pattern(count)).write(to: file)
        return file
    }

    @Test("14.5 Bumble receives a file")
    func sendsFile() async throws {
        try await withFolder { folder in
            try await withAir { air in
                let receiver = try await bumble(air, ["receive"])
                let file = try file(50_000, in: folder)
                let sender = try ExampleProgram(
                    .fileDrop,
                    ["send", file.path],
                    adapter: air.adapter
                )
                let (lines, ending) = try await sender.end()
                #expect(lines.last == "picture.raw was delivered")
                #expect(ending == .exited(0), "\(sender.process.log)")
                let line = try await receiver.process.nextLine(within: ExampleProgram.limit)
                let facts = try JSON(parsing: try #require(line))
                #expect(facts["name"].text == "picture.raw")
                #expect(facts["count"].integer == 50_000)
                #expect(facts["whole"] == .boolean(true))
            }
        }
    }

    @Test("14.6 The file transfer receives files from Bumble")
    func receivesFiles() async throws {
        try await withFolder { folder in
            try await withAir { air in
                let receiver = try ExampleProgram(
                    .fileDrop,
                    ["receive", folder.path],
                    adapter: air.adapter
                )
                try await receiver.awaitOutput("Waiting for files")
                let peer = try await bumble(air, ["send", "../../letter", "20000"])
                #expect(peer.facts["answer"].integer == 6)
                #expect((0x80...0xFF).contains(peer.facts["psm"].integer ?? 0))
                try await receiver.awaitOutput("Received letter, 20000 bytes")
                let arrived = try Data(contentsOf: folder.appendingPathComponent("letter"))
                #expect(arrived == Data(Demo.pattern(20_000)))

                let broken = try await bumble(air, ["send", "other", "300", "--broken"])
                #expect(broken.facts["answer"].integer == 21)
                try await receiver.awaitOutput("A file was not received: the checksum is wrong")
            }
        }
    }

    @Test("The sender reports a failed delivery if the receiver exits before the end")
    func killedReceiver() async throws {
        try await withFolder { folder in
            try await withAir { air in
                _ = try await bumble(air, ["receive", "--vanish", "10000"])
                let file = try file(100_000, in: folder)
                let sender = try ExampleProgram(
                    .fileDrop,
                    ["send", file.path],
                    adapter: air.adapter
                )
                let (lines, ending) = try await sender.end()
                #expect(lines.last?.hasPrefix("picture.raw was not delivered") == true)
                #expect(ending == .exited(1))
            }
        }
    }

    @Test("Two copies of the file transfer exchange a file")
    func twoCopies() async throws {
        try await withFolder { folder in
            try await withAir { air in
                let inbox = folder.appendingPathComponent("inbox")
                try FileManager.default.createDirectory(
                    at: inbox,
                    withIntermediateDirectories: true
                )
                let receiver = try ExampleProgram(
                    .fileDrop,
                    ["receive", inbox.path],
                    adapter: air.adapter
                )
                try await receiver.awaitOutput("Waiting for files")
                let file = try file(100_000, in: folder)
                let sender = try ExampleProgram(
                    .fileDrop,
                    ["send", file.path],
                    adapter: air.adapter
                )
                try await sender.awaitOutput("picture.raw was delivered")
                try await receiver.awaitOutput("Received picture.raw, 100000 bytes")
                let arrived = try Data(contentsOf: inbox.appendingPathComponent("picture.raw"))
                #expect(arrived == Data(Demo.pattern(100_000)))
            }
        }
    }
}
