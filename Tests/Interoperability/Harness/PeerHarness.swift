// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Testing

/// A simulated radio on which our hosts start and stop while their peers stay.
struct PeerHarness: Sendable {
    /// The time limit for a step, on a busy machine.
    static let limit: Duration = .seconds(90)

    let kind: ControllerKind
    let peers: PeerGroup

    /// One adapter for our hosts, then one for each peer.
    let controllers: Controllers

    /// Returns a peer's own address, before it takes another identity.
    static func address(at place: Int) -> DeviceAddress {
        DeviceAddress(value: 0xF1A0_0000_0100 + UInt64(place), kind: .random)
    }

    /// Returns a Bumble host that pairs as commanded, on the adapter at `place`, 1 for the first.
    func companion(
        at place: Int = 1,
        address: DeviceAddress? = nil,
        options: [String] = []
    ) async throws -> Companion {
        let address = address ?? Self.address(at: place)
        return Companion(client: try await peer("companion.py", at: place, address, options))
    }

    /// Returns a Bumble host whose Security Manager violates the protocol, on the adapter at
    /// `place`.
    func attacker(at place: Int = 1, address: DeviceAddress? = nil) async throws -> Attacker {
        let address = address ?? Self.address(at: place)
        return Attacker(client: try await peer("attacker.py", at: place, address, []))
    }

    private func peer(
        _ script: String,
        at place: Int,
        _ address: DeviceAddress,
        _ options: [String]
    ) async throws -> Client {
        let settings = ["--adapter", controllers.adapters[place], "--address", "\(address)"]
        let peer = try await peers.start(
            PeerInstallation.python,
            [PeerInstallation.scripts + script] + settings + options
        )
        return Client(process: peer.process)
    }

    /// Gives `body` one of our hosts, which shuts down afterward.
    ///
    /// - Parameter trace: The file for its packets. There is none by default.
    func withHost<Value: Sendable>(
        _ configuration: HostConfiguration = HostConfiguration(),
        trace: Trace? = nil,
        _ body: (BluetoothHost) async throws -> Value
    ) async throws -> Value {
        let adapter = try AdapterSpecification(controllers.adapters[0])
        var transport: any HCITransport = adapter.makeTransport()
        if let trace { transport = try TracingTransport(wrapping: transport, path: trace.path) }
        let host = BluetoothHost(transport: transport, configuration: configuration)
        do {
            try await host.start()
            let value = try await body(host)
            await host.shutdown()
            return value
        } catch {
            trace?.keep()
            await host.shutdown()
            throw error
        }
    }
}

/// Runs `body` with controllers of one kind on one radio: one for our hosts, and one for each of
/// `peerLimit` peers. The peers end afterward.
func withPeerHarness(
    on kind: ControllerKind = .lanyard,
    peerLimit: Int = 1,
    _ body: (PeerHarness) async throws -> Void
) async throws {
    try await withPeers { peers in
        let controllers = try await peers.controllers(kind, count: 1 + peerLimit)
        try await body(PeerHarness(kind: kind, peers: peers, controllers: controllers))
    }
}

extension BluetoothHost {
    /// Connects with the shortest interval, because the tests run many pairings.
    func connectQuickly(to address: DeviceAddress) async throws -> Link {
        var parameters = ConnectParameters()
        parameters.intervalMinimum = .microseconds(7_500)
        parameters.intervalMaximum = .microseconds(7_500)
        parameters.scanWindow = parameters.scanInterval
        let options = ConnectOptions(timeout: PeerHarness.limit, parameters: parameters)
        return try await within(PeerHarness.limit * 2, "a link") { [self] in
            try await connect(to: address, options: options)
        }
    }

    /// Removes all bonds, and ends the links to the bonded peers.
    func forgetAll() {
        for bond in bonds { removeBond(bond.identifier) }
    }
}
