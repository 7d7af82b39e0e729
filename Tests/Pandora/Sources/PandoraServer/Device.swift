// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import HCITransports

/// The device under test: a host on one adapter, which clients can reset.
actor Device {
    /// The host and its state, which a reset replaces.
    struct Session: Sendable {
        let host: BluetoothHost
        let connections: Connections
        let pairing: PairingEvents
    }

    private let adapter: AdapterSpecification
    nonisolated let ioCapability: Pairing.IOCapability
    private let isVerbose: Bool
    private var store = MemoryStore()
    private var current: Session?
    /// The latest reset. The next reset waits for its end.
    private var reset: Task<Void, any Error>?

    init(
        adapter: AdapterSpecification,
        ioCapability: Pairing.IOCapability,
        isVerbose: Bool
    ) {
        self.adapter = adapter
        self.ioCapability = ioCapability
        self.isVerbose = isVerbose
    }

    /// The current session.
    ///
    /// - Throws: `RPCError` while the device is being reset.
    var session: Session {
        get throws {
            guard let current else {
                throw RPCError(code: .unavailable, message: "the host is being reset")
            }
            return current
        }
    }

    /// Ends the current session, and starts a new host. Returns when the host is ready.
    ///
    /// The work is a task of its own, so that it continues when the client closes the channel.
    ///
    /// - Parameter removesBonds: Whether the new host has a new identity and no bonds.
    /// - Throws: The error of the host's start. A later reset can succeed.
    func restart(removesBonds: Bool) async throws {
        let earlier = reset
        let task = Task {
            _ = await earlier?.result
            await end()
            if removesBonds { store = MemoryStore() }
            try await begin()
        }
        reset = task
        try await task.value
    }

    /// Ends the current session: its pairing events, its streams and its links.
    func end() async {
        guard let session = current else { return }
        current = nil
        session.pairing.close()
        await session.host.shutdown()
    }

    private func begin() async throws {
        let connections = Connections()
        let pairing = PairingEvents(connections)
        var configuration = HostConfiguration()
        configuration.name = "Pandora"
        configuration.store = store
        configuration.pairing = .pandora(ioCapability)
        configuration.pairingDelegate = pairing
        // Clients decide when a link is secured, and with which level.
        configuration.securesOnDemand = false
        configuration.logger.logLevel = isVerbose ? .debug : .warning
        let host = BluetoothHost(transport: adapter.makeTransport(), configuration: configuration)
        do {
            try await host.start()
        } catch {
            await host.shutdown()
            throw error
        }
        current = Session(host: host, connections: connections, pairing: pairing)
    }
}

extension Pairing.Policy {
    /// Returns the policy of the device, which asks about every pairing.
    static func pandora(_ ioCapability: Pairing.IOCapability) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ioCapability
        policy.consent = .always
        policy.allowsLegacyPairing = true
        return policy
    }
}
