// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import Testing

/// Two controllers share one host identity. A Bumble peripheral bonds through the first one, and
/// its link through the second one is encrypted with that bond. The cases are the cells for Bumble
/// of the matrix in docs/ROAMING.md.
@Suite(.needsPeers) struct BumbleRadioTests {
    struct Cell: Sendable, CustomTestStringConvertible {
        let generation: PairingCase.Generation
        let isPeerPrivate: Bool
        let privacy: Privacy

        static let all: [Cell] = PairingCase.Generation.allCases.flatMap { generation in
            [false, true].flatMap { isPeerPrivate in
                [Privacy.off, .on].map {
                    Cell(generation: generation, isPeerPrivate: isPeerPrivate, privacy: $0)
                }
            }
        }

        var testDescription: String {
            let peer = isPeerPrivate ? "private" : "random static"
            let own = privacy == .off ? "random static" : "private"
            return "\(generation.rawValue), peer \(peer), host \(own)"
        }
    }

    @Test(
        "A Bumble peer that bonded through one controller encrypts through the other",
        arguments: Cell.all
    )
    func takeOver(cell: Cell) async throws {
        try await withPeerHarness(peerLimit: 2) { harness in
            let options = cell.isPeerPrivate ? ["--private"] : []
            let companion = try await harness.companion(options: options)
            if cell.isPeerPrivate { try await companion.rotate() }
            try await withRadios(harness, cell.privacy) { hosts, transports in
                let bond = try await Self.pair(hosts[0], companion, cell)
                // The host on the other controller has the bond at once.
                #expect(await hosts[1].bonds == [bond])

                // The wire of the first controller breaks. The peer gets no packet, and detects the
                // loss by its supervision timeout.
                hosts[0].executor.perform { [first = transports[0]] in first.close() }
                try await companion.awaitEnd()
                if cell.isPeerPrivate { try await companion.rotate() }
                try await companion.prepare()
                try await companion.advertise()
                let link = try await hosts[1].connectQuickly(to: bond.identity)
                let secret = try await link.handle(Companion.secret)
                #expect(try await link.read(secret) == Companion.secretValue)
                #expect(try await link.security == bond.security)
                #expect(try await link.bondedPeer?.identifier == bond.identifier)
                // No Security Manager PDU was sent: the link was encrypted with the bond.
                #expect(try await companion.countPassed() == 0)
                try await companion.disconnect()
            }
        }
    }

    /// Pairs with the companion, and leaves the link open.
    private static func pair(
        _ host: BluetoothHost,
        _ companion: Companion,
        _ cell: Cell
    ) async throws -> BondedPeer {
        var plan = Companion.Plan()
        plan.usesSecureConnections = cell.generation == .secureConnections
        try await companion.prepare(plan)
        let text = try #require(try await companion.advertise())
        let address = try #require(DeviceAddress(text, kind: .random))
        let link = try await host.connectQuickly(to: address)
        companion.awaitPairing()
        let security = try await within(PeerHarness.limit, "keys") { try await link.pair() }
        #expect(security.isBonded)
        #expect(try await companion.outcome().facts != nil)
        // The host requested the peer's name earlier, on the same bearer. When this discovery
        // completes, the bond has the name.
        _ = try await link.discoverServices()
        let bond = try #require(await host.bonds.first)
        #expect(bond.identity == PeerHarness.address(at: 1))
        return bond
    }

    /// Gives `body` two hosts with one identity, each with a controller of its own.
    private func withRadios(
        _ harness: PeerHarness,
        _ privacy: Privacy,
        _ body: ([BluetoothHost], [any HCITransport]) async throws -> Void
    ) async throws {
        let store = SharedStore()
        let executor = AdapterExecutor()
        let transports = try [0, 2].map { place in
            try AdapterSpecification(harness.controllers.adapters[place]).makeTransport()
        }
        let hosts = transports.map { transport in
            var configuration = HostConfiguration()
            configuration.store = store.makeMember()
            configuration.privacy = privacy
            configuration.pairing.allowsLegacyPairing = true
            configuration.pairingDelegate = Person()
            return BluetoothHost(
                transport: transport,
                configuration: configuration,
                executor: executor
            )
        }
        let result: Result<Void, any Error>
        do {
            for host in hosts { try await host.start() }
            result = .success(try await body(hosts, transports))
        } catch {
            result = .failure(error)
        }
        for host in hosts { await host.shutdown() }
        executor.shutDown()
        try result.get()
    }
}
