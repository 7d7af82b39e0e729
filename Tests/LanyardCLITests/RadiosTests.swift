// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import ProcessTestSupport
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

@testable import LanyardCLI

@Suite("Several adapters as one, on the command line")
struct RadiosTests {
    private typealias Value = ProcessTestSupport.JSON

    /// Two controllers 20 meters apart, each on a socket of its own, and an accessory near the
    /// second.
    private struct Rooms {
        static let target = "Lanyard Demo"

        let air: LiveAir
        let folder: String
        let adapter: String
        let servers: [AirServer]

        init() async throws {
            folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            let world = World(seed: 5)
            let controllers = try [0.0, 20.0].map { meters in
                try world.addController(
                    ControllerConfiguration(at: Position(x: meters, y: 0))
                )
            }
            _ = try world.addController(
                ControllerConfiguration(at: Position(x: 18, y: 0)),
                host: SimpleAccessory(.demo(name: Self.target))
            )
            air = LiveAir(world)
            var servers: [AirServer] = []
            var names: [String] = []
            for (number, controller) in controllers.enumerated() {
                let server = AirServer(air, waiting: [controller]) { _ in }
                let path = "\(folder)/\(number)"
                names.append("\(try await server.listen(at: .unix(path: path)))")
                servers.append(server)
            }
            self.servers = servers
            adapter = names.joined(separator: "+")
        }

        func name(_ number: Int) -> String { "unix:\(folder)/\(number)" }

        func end() async {
            for server in servers { await server.stop() }
            air.shutDown()
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    private func withRooms(_ body: (Rooms) async throws -> Void) async throws {
        let rooms = try await Rooms()
        do {
            try await body(rooms)
        } catch {
            await rooms.end()
            throw error
        }
        await rooms.end()
    }

    private struct Run {
        let status: ProcessStatus
        let output: String
        let remarks: String
    }

    /// Runs a command. It is interrupted when it has printed the text, if there is one.
    private func run(_ arguments: [String], until text: String? = nil) async -> Run {
        let (output, remarks) = (ScriptedAccessory.Recorder(), ScriptedAccessory.Recorder())
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 100, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let task = Task {
            defer { output.end() }
            return await ProgramRun.run(arguments, on: console)
        }
        if let text {
            var isRunning = true
            while isRunning, !output.lines.joined().contains(text) {
                isRunning = await output.waitForLine()
            }
            task.cancel()
        }
        return Run(
            status: await task.value,
            output: output.lines.joined(),
            remarks: remarks.lines.joined()
        )
    }

    private func options(_ rooms: Rooms, _ store: String? = nil) -> [String] {
        ["--adapter", rooms.adapter, "--timeout", "60"]
            + (store.map { ["--store", "\(rooms.folder)/\($0)"] } ?? ["--no-store"])
    }

    @Test("lanyard doctor opens all of several adapters")
    func doctor() async throws {
        try await withRooms { rooms in
            let run = await run(["doctor", "--adapter", rooms.adapter, "--timeout", "60"])
            #expect(run.output.contains("✓ adapter: \(rooms.adapter), by --adapter: opened"))
        }
    }

    @Test("A scan reports each advertisement once, and a value can be read")
    func reads() async throws {
        try await withRooms { rooms in
            let scan = await run(["scan", "--json"] + options(rooms), until: Rooms.target)
            let lines = scan.output.split(separator: "\n").filter { $0.contains(Rooms.target) }
            // Each advertisement comes once. An advertisement with its scan response counts as
            // another one.
            let data = try lines.map { try Value(parsing: String($0))["data"].text }
            #expect(!data.isEmpty && Set(data).count == data.count, "\(lines)")
            let read = await run(["read", Rooms.target, "2A00", "--json"] + options(rooms))
            #expect(read.status == .success, "\(read.remarks)")
        }
    }

    @Test("radios shows the signal on each adapter, the adapter of a link, and the reason")
    func shows() async throws {
        try await withRooms { rooms in
            let run = await run(
                ["radios", Rooms.target, "--json"] + options(rooms),
                until: #""reason":"strongest""#
            )
            let line = try #require(
                run.output.split(separator: "\n").first { $0.contains(#""reason":"strongest""#) },
                "\(run.output) \(run.remarks)"
            )
            let value = try Value(parsing: String(line))
            let path = try String(
                contentsOfFile: DocumentedCommand.root("docs/JSON.md"),
                encoding: .utf8
            )
            #expect(try JSONSchema(path).faults(of: Value(parsing: String(line)), "radios") == [])
            let device = try #require(
                value["devices"].elements.first { $0["name"].text == Rooms.target }
            )
            #expect(device["radio"].text == rooms.name(1))
            #expect(value["radios"].elements.map { $0["name"].text } == [0, 1].map(rooms.name))
        }
    }

    @Test("An unknown target is an error with the nearest name, even with a short --timeout")
    func unknownTarget() async throws {
        try await withRooms { rooms in
            var remarks = ""
            // On a busy machine, opening the adapters or the first advertisement can take longer.
            for timeout in ["3", "12", "48"] where !remarks.contains("did you mean") {
                let run = await run([
                    "radios", "Lanyard Dmeo", "--adapter", rooms.adapter, "--timeout", timeout,
                    "--no-store",
                ])
                guard run.status != .timedOut else { continue }
                #expect(run.status == .notFound)
                remarks = run.remarks
            }
            #expect(remarks.contains("did you mean '\(Rooms.target)'?"), "\(remarks)")
        }
    }

    @Test("Until it is unpinned, a pinned target is connected through its adapter in later runs")
    func pins() async throws {
        try await withRooms { rooms in
            let store = options(rooms, "store")
            let pin = await run(["radios", Rooms.target, "--pin", rooms.name(0)] + store)
            #expect(pin.status == .success, "\(pin.remarks)")
            #expect(pin.remarks.contains("always by \(rooms.name(0))"))
            let shown = await run(
                ["radios", Rooms.target, "--json"] + store,
                until: #""reason":"pinned""#
            )
            #expect(shown.output.contains(#""radio":"\#(rooms.name(0))","reason":"pinned""#))
            let unpin = await run(["radios", Rooms.target, "--unpin"] + store)
            #expect(unpin.status == .success, "\(unpin.remarks)")
            let free = await run(
                ["radios", Rooms.target, "--json"] + store,
                until: #""reason":"strongest""#
            )
            #expect(free.output.contains(#""reason":"strongest""#), "\(free.remarks)")
        }
    }

    @Test("An adapter that cannot be opened is named, and the others continue")
    func goesOn() async throws {
        try await withRooms { rooms in
            let adapter = rooms.name(1) + "+unix:\(rooms.folder)/missing"
            let read = await run(
                ["read", Rooms.target, "2A00", "--no-store", "--adapter", adapter]
                    + ["--timeout", "60"]
            )
            #expect(read.status == .success, "\(read.remarks)")
            #expect(read.remarks.components(separatedBy: "continuing with the others").count == 2)
            #expect(read.remarks.contains("\(rooms.folder)/missing"))
        }
    }

    @Test("A command for one adapter refuses several adapters, and radios refuses one adapter")
    func refuses() async throws {
        let database = DocumentedCommand.root("Examples/Databases/heart-rate-strap.json")
        let serve = await run(["serve", database, "--adapter", "unix:/a+unix:/b"])
        #expect(serve.status == .usage)
        #expect(serve.remarks.contains("this command takes one adapter"))
        let radios = await run(["radios", "--adapter", "unix:/a"])
        #expect(radios.status == .usage)
        #expect(radios.remarks.contains("this command compares several adapters"))
    }
}
