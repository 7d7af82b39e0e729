// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import PairingTestSupport
import Testing

/// The releases of RootCanal that our radio joins in the tests.
enum RootCanalRelease: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A release in which each device encrypts with its own key.
    case old = "1.10.0"
    /// A release in which both devices must have the same key.
    case recent = "1.13.0"

    var testDescription: String { "RootCanal \(rawValue)" }

    /// The releases that run on this machine. With `CI=true`, all must run.
    static var available: [RootCanalRelease] {
        let runsRecent = PeerInstallation.shouldRun(needing: PeerInstallation.recentRootCanalServer)
        return runsRecent ? allCases : [.old]
    }

    /// Starts the controllers at these endpoints.
    func controllers(_ peers: PeerGroup, endpoints: [String]) async throws -> Controllers {
        switch self {
        case .old: return try await peers.controllers(.rootCanal, endpoints: endpoints)
        case .recent:
            let peer = try await peers.start(PeerInstallation.recentRootCanalServer, endpoints)
            let adapters = peer.facts["adapters"].elements.compactMap(\.text)
            return Controllers(process: peer.process, adapters: adapters)
        }
    }
}

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
    /// RootCanal's port for radios.
    let port: String
    let release: RootCanalRelease

    /// Returns this radio with RootCanal's controllers started again at the same port.
    func restarted() async throws -> JoinedAir {
        let place = try #require(port.split(separator: ":").last)
        let endpoints = ["tcp:0", "link:\(place)"]
        let again = try await release.controllers(air.peers, endpoints: endpoints)
        return JoinedAir(
            process: again.process,
            radio: radio,
            air: air,
            rootCanal: Air(peers: air.peers, adapter: again.adapters[0]),
            port: port,
            release: release
        )
    }

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

    /// Gives `body` one of our hosts on our radio. The host shuts down afterward.
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
        while let line = try await radio.nextLine(within: HostFixture.limit) {
            let event = try JSON(parsing: line)
            if event["event"].text == name { return event }
        }
        throw ProcessError.ended("the radio ended", log: radio.log)
    }
}

/// Gives `body` a virtual radio that has joined RootCanal. Afterward all peers end.
func withJoinedAir(
    _ release: RootCanalRelease = .old,
    scenario: String? = nil,
    _ body: (JoinedAir) async throws -> Void
) async throws {
    try await withPeers { peers in
        let rootCanal = try await release.controllers(peers, endpoints: ["tcp:0", "link:0"])
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
            rootCanal: Air(peers: peers, adapter: adapter),
            port: port,
            release: release
        )
        try await body(joined)
    }
}
