// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Foundation
import HCITransports
import Synchronization
import Testing

@testable import LanyardCLI

private let onBoard = SystemAdapter(
    index: 0,
    address: DeviceAddress("00:1A:7D:DA:71:13", kind: .public),
    bus: .uart,
    supportsLowEnergy: true,
    state: .up,
    holders: [SystemProcess(number: 842, name: "bluetoothd")],
    connections: 2
)

private let pluggedIn = SystemAdapter(
    index: 1,
    address: DeviceAddress("00:1A:7D:DA:71:14", kind: .public),
    bus: .usb,
    product: "CSR\u{1B}8510"
)

@Suite("The command lanyard adapters") struct AdaptersCommandTests {
    private let output = ScriptedAccessory.Recorder()
    private let remarks = ScriptedAccessory.Recorder()

    private var console: Console {
        Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { [output] in output.note($0) },
            remark: { [remarks] in remarks.note($0) }
        )
    }

    /// Creates sources that return the lists in turn, one after each change.
    private func sources(
        _ lists: [SystemAdapter]...,
        ports: [SystemState.SerialPort] = [],
        mayTake: Bool = true,
        ask: @escaping @Sendable (SystemAdapter) async -> AdapterAnswer = { _ in
            .failure(ProgramFailure(.adapterUnavailable, "no answer in this test"))
        }
    ) -> AdapterList.Sources {
        let rest = Mutex(lists)
        let count = lists.count
        return AdapterList.Sources(
            adapters: { rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] } },
            mayTake: { mayTake },
            serialPorts: { ports },
            changes: {
                AsyncStream { continuation in
                    for _ in 0..<count { continuation.yield() }
                    continuation.finish()
                }
            },
            ask: ask
        )
    }

    private func run(_ arguments: String..., with sources: AdapterList.Sources) async throws {
        try await AdaptersCommand.parse(arguments).run(sources, on: console)
    }

    @Test("A line names an adapter, its status and its users") func lines() async throws {
        let port = SystemState.SerialPort(path: "/dev/ttyACM0", product: "nRF\u{7}52")
        try await run(with: sources([onBoard, pluggedIn], ports: [port]))
        let expected = """
            hci0  00:1A:7D:DA:71:13  UART                 used by bluetoothd (process 842), 2 links
            hci1  00:1A:7D:DA:71:14  USB (CSR\\u{1B}8510)  free
            serial:/dev/ttyACM0  a serial port (nRF\\u{7}52)

            """
        #expect(output.lines.joined() == expected)
        #expect(remarks.lines.isEmpty)
    }

    @Test("An empty list is reported with advice") func empty() async throws {
        try await run(with: sources([]))
        #expect(output.lines.isEmpty)
        #expect(remarks.lines.joined().hasPrefix("lanyard: the system has no adapters; "))
    }

    @Test(
        "The list names the daemon if apps use it by default",
        arguments: [(true, "hci:00:1A:7D:DA:71:14"), (false, "bluez")]
    )
    func applications(_ mayTake: Bool, _ expected: String) async throws {
        try await run("--json", with: sources([onBoard, pluggedIn], mayTake: mayTake))
        let object = try JSONSerialization.jsonObject(with: Data(output.lines.joined().utf8))
        #expect((object as? [String: Any])?["applications"] as? String == expected)
        try await run(with: sources([onBoard, pluggedIn], mayTake: mayTake))
        #expect(remarks.lines.joined().contains("(bluez)") == !mayTake)
    }

    @Test("Only a free adapter is opened with --probe") func asks() async throws {
        let asked = Mutex<[String]>([])
        var capabilities = ControllerCapabilities(
            version: .init(
                hciVersion: .core5_2,
                hciSubversion: 1,
                linkLayerVersion: .core5_2,
                company: 2,
                linkLayerSubversion: 1
            ),
            commands: HCI.SupportedCommands()
        )
        capabilities.leFeatures = [.encryption, .le2M, .extendedAdvertising]
        capabilities.aclPacketCount = 8
        capabilities.aclPacketLength = 251
        let report = ControllerReport(capabilities: capabilities)
        var off = pluggedIn
        off.index = 2
        off.radioSwitch = RadioSwitch(isSoftBlocked: true, isHardBlocked: false)
        let sources = sources([onBoard, pluggedIn, off]) { adapter in
            asked.withLock { $0.append(adapter.name) }
            return .controller(report)
        }
        try await run("--probe", with: sources)
        #expect(asked.withLock { $0 } == ["hci1"])
        let text = output.lines.joined()
        #expect(text.contains("    controller:  Bluetooth 5.2, Intel Corp.\n"))
        #expect(text.contains("    links:       8 buffers of 251 bytes, 27 bytes in a packet"))
        #expect(text.contains("    features:    encryption, 2M PHY, extended advertising\n"))
        #expect(text.contains("switched off (rfkill)"))
    }

    @Test("An adapter that cannot be opened is listed with the reason and the remedy")
    func refusal()
        async throws
    {
        let failure = ProgramFailure(.adapterUnavailable, "not permitted", advice: "setcap")
        try await run("--probe", with: sources([pluggedIn]) { _ in .failure(failure) })
        let text = output.lines.joined()
        #expect(text.contains("    refused:     not permitted\n    remedy:      setcap\n"))
    }

    @Test("JSON names the users of each adapter and the recommended one") func json() async throws {
        try await run("--json", with: sources([onBoard, pluggedIn]))
        let object = try JSONSerialization.jsonObject(with: Data(output.lines.joined().utf8))
        let facts = try #require(object as? [String: Any])
        #expect(facts["preferred"] as? String == "hci:00:1A:7D:DA:71:14")
        let adapters = try #require(facts["adapters"] as? [[String: Any]])
        #expect(adapters.map { $0["name"] as? String } == ["hci0", "hci1"])
        #expect(adapters.map { $0["state"] as? String } == ["up", "down"])
        #expect(adapters.map { $0["mayBeTaken"] as? Bool } == [false, true])
        let holders = try #require(adapters.first?["holders"] as? [[String: Any]])
        #expect(holders.first?["process"] as? Int == 842)
        #expect(adapters.last?["product"] as? String == "CSR\u{1B}8510")
    }

    @Test("Watching prints the adapters first, then each change")
    func watch() async throws {
        var free = onBoard
        free.state = .taken
        free.holders = []
        let sources = sources([onBoard], [onBoard, pluggedIn], [free, pluggedIn], [free])
        await #expect(throws: ProgramFailure.self) { try await run("--watch", with: sources) }
        let expected = """
            hci0 came: 00:1A:7D:DA:71:13, UART, used by bluetoothd (process 842), 2 links
            hci1 came: 00:1A:7D:DA:71:14, USB (CSR\\u{1B}8510), free
            hci0 is taken by another program
            hci1 is gone

            """
        #expect(output.lines.joined() == expected)
    }

    @Test("With --json, each change is an object on a line") func watchJSON() async throws {
        let sources = sources([pluggedIn], [])
        await #expect(throws: ProgramFailure.self) {
            try await run("--watch", "--json", with: sources)
        }
        let events = try output.lines.map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            )
        }
        #expect(events.map { $0["event"] as? String } == ["came", "gone"])
    }

    @Test(
        "If an adapter takes the number of another one, the changes are a removal and an addition"
    )
    func replaced() {
        var other = pluggedIn
        other.address = DeviceAddress("00:1A:7D:DA:71:15", kind: .public)
        let changes = AdapterChange.all(from: [pluggedIn], to: [other])
        #expect(changes == [.gone(pluggedIn), .came(other)])
        var nameless = pluggedIn
        nameless.address = nil
        #expect(AdapterChange.all(from: [nameless], to: [pluggedIn]) == [.changed(pluggedIn)])
        #expect(AdapterChange.all(from: [onBoard], to: [onBoard]).isEmpty)
    }

    @Test("--probe and --watch exclude each other") func refusesBoth() async {
        await #expect(throws: ProgramFailure.self) {
            try await run("--probe", "--watch", with: sources([]))
        }
    }

    @Test("A long list of features is wrapped to the width") func wraps() {
        var capabilities = ControllerCapabilities(
            version: .init(
                hciVersion: .core6_0,
                hciSubversion: 0,
                linkLayerVersion: .core6_0,
                company: 0xFFF0,
                linkLayerSubversion: 0
            ),
            commands: HCI.SupportedCommands()
        )
        capabilities.leFeatures = HCI.LEFeatures(rawValue: .max)
        let lines = ControllerReport(capabilities: capabilities).lines(columns: 60)
        #expect(lines.allSatisfy { TerminalColumns.count($0) <= 60 })
        #expect(lines.first == "    controller:  Bluetooth 6.0, company 65520")
        let features = lines.drop { !$0.hasPrefix("    features:") }
        #expect(features.count > 10)
        #expect(features.dropFirst().allSatisfy { $0.hasPrefix("                 ") })
        let names = AssignedNumbers.names(of: HCI.LEFeatures(rawValue: .max))
        #expect(names.count == 64 - 5 && names.contains("feature 63"))
        #expect(!names.contains { $0.contains("host") })
    }
}
