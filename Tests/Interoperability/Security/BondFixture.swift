// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import PairingTestSupport
import Testing

/// Our host and a companion, each with a store that outlives it. Both can be restarted.
struct BondFixture: Sendable {
    /// The companion's identity address.
    static let companion = PeerHarness.address(at: 1)

    let harness: PeerHarness
    let role: LinkRole
    let isPrivate: Bool
    let folder: String

    /// Returns the host's configuration, the same at every start.
    func configuration(_ person: Person) throws -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.address = PairingPeripheral.address
        configuration.pairing.allowsLegacyPairing = true
        configuration.pairingDelegate = person
        configuration.store = try FileStore(directory: folder + "/host")
        if isPrivate { configuration.privacy = .on }
        return configuration
    }

    /// Starts the host and the companion, and shuts both down after `body`.
    func withBoth<Value: Sendable>(
        trace: Trace? = nil,
        _ change: (inout HostConfiguration) -> Void = { _ in },
        _ body: (BondedPair) async throws -> Value
    ) async throws -> Value {
        let options = ["--store", folder + "/companion.json"] + (isPrivate ? ["--private"] : [])
        let companion = try await harness.companion(address: Self.companion, options: options)
        if isPrivate { try await companion.rotate() }
        let person = Person()
        var configuration = try configuration(person)
        change(&configuration)
        let value = try await harness.withHost(configuration, trace: trace) { host in
            let events = try await SecurityLog(of: host)
            var peripheral: PairingPeripheral?
            if role == .peripheral {
                peripheral = try await PairingPeripheral(
                    host,
                    person: person,
                    companion: companion
                )
            }
            return try await body(
                BondedPair(
                    host: host,
                    peripheral: peripheral,
                    person: person,
                    companion: companion,
                    securityLog: events
                )
            )
        }
        companion.client.process.kill()
        return value
    }
}

/// Gives `body` a fixture, whose stores are deleted afterward.
func withBondFixture(
    _ role: LinkRole,
    isPrivate: Bool = false,
    _ body: (BondFixture) async throws -> Void
) async throws {
    let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await withPeerHarness { harness in
        try await body(
            BondFixture(harness: harness, role: role, isPrivate: isPrivate, folder: folder)
        )
    }
}

/// Our host and the companion, between two restarts.
struct BondedPair: Sendable {
    let host: BluetoothHost
    /// The service of our host, if it is a peripheral.
    let peripheral: PairingPeripheral?
    let person: Person
    let companion: Companion
    let securityLog: SecurityLog

    /// Connects for the first time, pairs, and disconnects. Returns the host's bond.
    func pair(_ plan: Companion.Plan) async throws -> BondedPeer {
        try await companion.prepare(plan)
        if let peripheral {
            try await companion.connect(name: "Server")
            let link = try await peripheral.recorder.link()
            #expect(try await companion.pair().facts != nil)
            #expect(try await companion.client.read(peripheral.secret) == Companion.secretValue)
            #expect(try await link.security.isEncrypted)
            // The host requested the peer's name earlier, on the same bearer. When this discovery
            // completes, that request has completed too.
            _ = try await link.discoverServices()
        } else {
            let link = try await host.connectQuickly(to: try await advertise())
            companion.awaitPairing()
            let security = try await within(PeerHarness.limit, "keys") { try await link.pair() }
            #expect(security.isEncrypted)
            #expect(try await companion.outcome().facts != nil)
            _ = try await link.discoverServices()
        }
        let bond = try #require(await host.bonds.first)
        try await disconnect()
        return bond
    }

    /// Lets our host connect. Returns the address from which the companion advertises.
    func advertise() async throws -> DeviceAddress {
        let text = try #require(try await companion.advertise())
        return try #require(DeviceAddress(text, kind: .random))
    }

    func disconnect() async throws {
        try await companion.disconnect()
    }
}

/// The security events of the host, in order.
actor SecurityLog {
    private var events: [SecurityEvent] = []
    private var waiter: CheckedContinuation<Void, Never>?
    private var work: Task<Void, Never>?

    init(of host: BluetoothHost) async throws {
        let stream = await host.securityEvents()
        work = Task { [weak self] in
            for await event in stream { await self?.note(event) }
        }
    }

    deinit { work?.cancel() }

    /// Waits for the first event for which the closure returns a value, and removes the event.
    nonisolated func next<Value: Sendable>(
        _ comment: String,
        _ choose: @escaping @Sendable (SecurityEvent) -> Value?
    ) async throws -> Value {
        try await within(PeerHarness.limit, comment) { await self.take(choose) }
    }

    private func take<Value>(_ choose: (SecurityEvent) -> Value?) async -> Value {
        while true {
            for (place, event) in events.enumerated() {
                guard let value = choose(event) else { continue }
                events.remove(at: place)
                return value
            }
            await withCheckedContinuation { waiter = $0 }
        }
    }

    private func note(_ event: SecurityEvent) {
        events.append(event)
        waiter?.resume()
        waiter = nil
    }
}
