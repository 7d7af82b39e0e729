// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import PairingTestSupport
import Testing

/// `lanyard air` and RootCanal's controllers on one radio.
struct JoinedAir: Sendable {
    /// RootCanal's process.
    let process: ChildProcess
    /// The process of `lanyard air`, which prints a line for each event.
    let radio: ChildProcess
    /// Peers on controllers of our radio.
    let air: Air
    /// Peers on RootCanal's controllers.
    let rootCanal: Air

    /// Returns a Bumble host on RootCanal that pairs as commanded.
    func companion() async throws -> Companion {
        let script = PeerInstallation.scripts + "companion.py"
        let address = PeerHarness.address(at: 1).description
        let peer = try await rootCanal.peers.start(
            PeerInstallation.python,
            [script, "--adapter", rootCanal.adapter, "--address", address]
        )
        return Companion(client: Client(process: peer.process))
    }

    /// Gives `body` one of our hosts on our radio, which shuts down afterward.
    func withHost(_ body: (BluetoothHost) async throws -> Void) async throws {
        let adapter = try AdapterSpecification(air.adapter)
        var configuration = HostConfiguration()
        configuration.pairingDelegate = Person()
        let host = BluetoothHost(transport: adapter.makeTransport(), configuration: configuration)
        do {
            try await host.start()
            try await body(host)
            await host.shutdown()
        } catch {
            await host.shutdown()
            throw error
        }
    }

    /// Waits for the next line of `lanyard air` with this event.
    func event(_ name: String) async throws -> JSON {
        while let line = try await radio.nextLine(within: Encounter.limit) {
            let event = try JSON(parsing: line)
            if event["event"].text == name { return event }
        }
        throw ProcessError.ended("the radio ended", log: radio.log)
    }
}

/// Gives `body` a virtual radio that has joined RootCanal. Afterward all peers end.
func withJoinedAir(scenario: String? = nil, _ body: (JoinedAir) async throws -> Void) async throws {
    try await withPeers { peers in
        let rootCanal = try await peers.controllers(.rootCanal, endpoints: ["tcp:0", "link:0"])
        try #require(rootCanal.adapters.count == 2)
        let (adapter, port) = (rootCanal.adapters[0], rootCanal.adapters[1])
        var arguments = ["air", "--json", "--until-end-of-input", "--listen", "tcp:127.0.0.1:0"]
        arguments += ["--join-rootcanal", port]
        let file = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        if let scenario {
            try Data(scenario.utf8).write(to: URL(fileURLWithPath: file))
            arguments += ["--scenario", file]
        } else {
            arguments.append("--empty")
        }
        let air = try await peers.start(LanyardTool.path, arguments)
        let own = try #require(air.facts["listen"].elements.first?.text)
        let joined = JoinedAir(
            process: rootCanal.process,
            radio: air.process,
            air: Air(peers: peers, adapter: own),
            rootCanal: Air(peers: peers, adapter: adapter)
        )
        try await body(joined)
    }
}
