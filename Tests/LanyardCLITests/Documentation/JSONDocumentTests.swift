// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothTypes
import Foundation
import HCITransports
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// The real output of commands, compared with docs/JSON.md.
@Suite("docs/JSON.md")
struct JSONDocumentTests {
    private typealias Value = ProcessTestSupport.JSON

    private let schema: JSONSchema

    init() throws {
        let path = DocumentedCommand.root("docs/JSON.md")
        schema = JSONSchema(try String(contentsOfFile: path, encoding: .utf8))
    }

    private struct Run {
        let output: String
        let remarks: String

        /// The objects of JSON Lines.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs a command without time limits for its steps. If there are texts, cancels the command
    /// after it has printed all of them.
    private func run(_ arguments: [String], until texts: [String] = []) async -> Run {
        let output = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let task = Task {
            defer { output.end() }
            return await TimeLimit.$wait.withValue({ _ in await EndOfInput.never() }) {
                await ProgramRun.run(arguments + ["--json"], on: console)
            }
        }
        if !texts.isEmpty {
            var isRunning = true
            while isRunning, !texts.allSatisfy(output.lines.joined().contains) {
                isRunning = await output.waitForLine()
            }
            task.cancel()
        }
        _ = await task.value
        return Run(output: output.lines.joined(), remarks: remarks.lines.joined())
    }

    private func virtual(_ arguments: String..., until texts: [String] = []) async -> Run {
        await run(arguments + ["--adapter", "virtual"], until: texts)
    }

    private func expect(_ text: String, is type: String) throws {
        #expect(try schema.faults(of: Value(parsing: text), type) == [], "\(text)")
    }

    @Test("scan prints the documented members")
    func scan() async throws {
        let texts = [#""beacon":{"type":"iBeacon""#, "eddystoneURL", "Thermometer"]
        let run = await virtual("scan", until: texts)
        for text in texts { #expect(run.output.contains(text), "\(text)") }
        for line in run.lines { try expect(line, is: "scan") }
    }

    @Test("Beacons have the documented members", arguments: BeaconContents.samples)
    func beacons(beacon: BeaconContents) throws {
        try expect(beacon.json.compact, is: "Beacon")
    }

    @Test("explore, read, write, subscribe and pair print the documented members")
    func accessories() async throws {
        try expect(await virtual("explore", "Lanyard Demo").output, is: "explore")
        try expect(await virtual("explore", "Front Door").output, is: "explore")
        try expect(await virtual("read", "Thermometer", "2A6E").output, is: "read")
        let lamp = "4C414E59-4152-4400-A000-000000001A01"
        try expect(await virtual("write", "Battery Lamp", lamp, "01").output, is: "write")
        let values = await virtual("subscribe", "Heart Rate", "2A37", "2A19", "--count", "3")
        #expect(values.lines.count == 3)
        for line in values.lines { try expect(line, is: "subscribe") }
        try expect(await virtual("pair", "Front Door").output, is: "pair")
    }

    @Test("The results of shell and run are the documented objects")
    func shell() async throws {
        let types = [
            "connect": "ShellDevice", "disconnect": "ShellDevice", "status": "ShellStatus",
            "mtu": "ShellLink", "parameters": "ShellLink", "rssi": "ShellLink", "phy": "ShellLink",
            "info": "Explanation", "decode": "DecodedValue", "subscribe": "ShellText",
            "unsubscribe": "ShellText", "echo": "ShellText", "help": "ShellText",
        ]
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).lanyard"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let script = """
            status\nconnect Thermometer\nstatus\nmtu\nparameters\nrssi\nphy\ninfo 2A37
            decode 2A37 06 3C\nsubscribe 2A6E\nwait notification\nexpect between 0 50\nunsubscribe
            echo x\nhelp\nread 2A6E\nfails write 2A6E 00\ndisconnect\nread 2A6E
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        let run = await virtual("run", path)
        var seen: Set<String> = []
        for line in run.lines {
            let event = try Value(parsing: line)
            #expect(schema.faults(ofEvent: event, in: "shell, run") == [], "\(line)")
            seen.insert(event["event"].text ?? "")
            guard let command = event["command"].text, let type = types[command] else { continue }
            #expect(schema.faults(of: event["result"], type) == [], "\(line)")
            seen.insert(command)
        }
        #expect(seen.isSuperset(of: Set(types.keys)))
        #expect(seen.isSuperset(of: ["result", "value", "expectation", "failed"]))
        try expect(run.remarks, is: "Errors")
    }

    @Test("Each event of the shell has the documented members", arguments: ShellEvent.samples)
    func shellEvents(event: ShellEvent) throws {
        let value = try Value(parsing: event.json.timed().compact)
        #expect(schema.faults(ofEvent: value, in: "shell, run") == [])
    }

    @Test("bonds and trace print the documented members")
    func files() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = folder + "/pair.btsnoop"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = await virtual("pair", "Front Door", "--store", folder + "/store", "--trace", log)
        let bonds = try Value(
            parsing: await run(["bonds", "--store", folder + "/store"]).output
        ).elements
        #expect(bonds.count == 1)
        for bond in bonds { #expect(schema.faults(of: bond, "bonds") == []) }
        let packets = await run(["trace", log]).lines
        #expect(packets.count > 20)
        for packet in packets { try expect(packet, is: "trace") }
    }

    @Test("adapters and doctor print the documented members")
    func system() async throws {
        try expect(await run(["adapters"]).output, is: "adapters")
        try expect(await run(["doctor", "--no-probe"]).output, is: "doctor")
    }

    @Test("A failure is the documented object on standard error")
    func failures() async throws {
        for arguments in [
            ["read", "Lamp"], ["scan", "--adapter", "unix:/nonexistent/lanyard", "--no-store"],
            ["scann"],
        ] {
            let run = await run(arguments)
            #expect(run.output.isEmpty)
            try expect(run.remarks, is: "Errors")
        }
    }

    @Test(
        "Each event of serve other than those about bonds has the documented members",
        arguments: ServeEvent.samples
    )
    func serve(event: ServeEvent) throws {
        let value = try Value(parsing: event.json.timed().compact)
        #expect(schema.faults(ofEvent: value, in: "serve") == [])
    }

    @Test("Each event of air has the documented members", arguments: AirEvent.samples)
    func air(event: AirEvent) throws {
        let value = try Value(parsing: event.json.timed().compact)
        #expect(schema.faults(ofEvent: value, in: "air") == [])
    }

    @Test("The event of live has the documented members")
    func live() throws {
        let event = LiveSession.ready("http://127.0.0.1:1/x/").timed().compact
        #expect(schema.faults(ofEvent: try Value(parsing: event), in: "live") == [])
        #expect(schema.events["live"]?.keys.sorted() == ["ready"])
    }

    @Test("Every documented event exists, except the events of serve about bonds")
    func events() {
        let serve = ServeEvent.samples.map { "\($0.json.compact)" }.joined()
        let air = AirEvent.samples.map { "\($0.json.compact)" }.joined()
        for name in schema.events["serve"]?.keys.sorted() ?? [] where !name.hasPrefix("bond") {
            #expect(serve.contains(#""event":"\#(name)""#), "\(name)")
        }
        let shell = ShellEvent.samples.map { "\($0.json.compact)" }.joined()
        for name in schema.events["shell, run"]?.keys.sorted() ?? [] {
            #expect(shell.contains(#""event":"\#(name)""#), "\(name)")
        }
        for name in schema.events["air"]?.keys.sorted() ?? [] {
            #expect(air.contains(#""event":"\#(name)""#), "\(name)")
        }
    }

    @Test("A value that differs from the schema is found")
    func findsFaults() throws {
        let wrong = #"{"address":1,"uuid":"2A19","valueHandle":7,"value":"5","more":null}"#
        let faults = try schema.faults(of: Value(parsing: wrong), "read")
        #expect(
            faults == [
                "read.more is not documented", "read.time is missing",
                "read.address is not of type string", "read.value is not of type hex",
                "read.meaning is missing",
            ]
        )
    }

    @Test("A time is written in UTC with milliseconds")
    func times() {
        let date = Date(timeIntervalSince1970: 1_772_355_907.25)
        #expect(TimeText.iso8601(date) == "2026-03-01T09:05:07.250Z")
        #expect(TimeText.iso8601(Date(timeIntervalSince1970: -0.5)) == "1969-12-31T23:59:59.500Z")
        #expect(TimeText.describe(date).wholeMatch(of: #/\d\d:\d5:07\.250/#) != nil)
    }
}

extension BeaconContents {
    static let samples: [BeaconContents] = [
        .iBeacon(uuid: BluetoothUUID(0x1234), major: 1, minor: 2, power: -59),
        .eddystoneUID(namespace: [1], instance: [2], power: -20),
        .eddystoneURL("https://example.com/", power: -20), .eddystoneEID([1], power: -20),
        .eddystoneTLM(millivolts: 3_000, temperature: nil, count: 1, tenths: 20),
        .eddystoneTLM(millivolts: 3_000, temperature: 0x1480, count: 1, tenths: 20),
    ]
}

extension ServeEvent {
    /// An event of each kind, without those about bonds.
    static let samples: [ServeEvent] = {
        let client = DeviceAddress(value: 2, kind: .random)
        let level = ServedAttribute(handle: AttributeHandle(20), uuid: BluetoothUUID(0x2A19))
        return [
            .ready(name: "Lamp", address: client, services: 1, characteristics: 2),
            .connected(client), .disconnected(client, reason: "gone"),
            .read(client, level, offset: 0, .value([0x57])),
            .read(client, level, offset: 0, .refused(.invalidOffset)),
            .written(client, level, offset: 1, .value([1])),
            .subscribed(client, level, .notification), .subscribed(client, level, nil),
            .sent(client, level, [1]), .unsent(client, level, reason: "slow"),
            .adapterLost("unplugged"), .adapterBack, .set(level, [1]), .value(level, [1]),
            .link(client, LinkSecurity.none, [level]), .link(client, nil, [level]),
        ]
    }()
}

extension ShellEvent {
    /// An event of each kind.
    static let samples: [ShellEvent] = {
        let device = DeviceAddress(value: 2, kind: .random)
        let report = ValueReport(
            address: device,
            uuid: BluetoothUUID(0x2A19),
            valueHandle: 12,
            bytes: [1]
        )
        return [
            .result(line: 1, command: "echo", .null), .value(report),
            .linkEnded(device, name: nil, reason: "gone"),
            .expectation(line: 1, isMet: true, expected: "a", actual: "b"),
            .failedAsExpected(line: 1, "refused"),
            .failed(line: 1, .usage("wrong", advice: "right")),
            .finished(script: "x", steps: 1, .milliseconds(1_234)),
        ]
    }()
}

extension AirEvent {
    /// An event of each kind.
    static let samples: [AirEvent] = [
        .ready(addresses: ["tcp:127.0.0.1:6402"], seed: 1), .connected(host: "h", controller: "c"),
        .disconnected(host: "h", controller: "c", cause: nil), .refused,
        .rootCanalEnded(cause: "why"), .rootCanalJoined, .rootCanalGivenUp(attempts: 600),
        .linked(AirLink(central: "a", peripheral: "b")),
        .unlinked(AirLink(central: "a", peripheral: "b")),
        .display(controller: "c", text: "123456"),
    ]
}
