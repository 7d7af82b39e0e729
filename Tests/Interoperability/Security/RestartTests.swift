// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Bonds that survive restarts of both sides and changes of address: the link is encrypted without
/// pairing, and the peer keeps its identifier and its name.
@Suite(.needsPeers) struct RestartTests {
    struct Variant: Sendable, CustomTestStringConvertible {
        let role: LinkRole
        let generation: PairingCase.Generation
        let isPrivate: Bool

        static let all: [Variant] = [LinkRole.central, .peripheral].flatMap { role in
            PairingCase.Generation.allCases.flatMap { generation in
                [false, true].map { Variant(role: role, generation: generation, isPrivate: $0) }
            }
        }

        var testDescription: String {
            let addresses = isPrivate ? "private addresses" : "identity addresses"
            return "our \(role), \(generation.rawValue), \(addresses)"
        }
    }

    /// The number of times that both sides are restarted.
    private static let restartCount = 2

    @Test("A bonded peer reconnects after both sides have restarted", arguments: Variant.all)
    func restarts(variant: Variant) async throws {
        try await withBondFixture(variant.role, isPrivate: variant.isPrivate) { fixture in
            var plan = Companion.Plan()
            plan.usesSecureConnections = variant.generation == .secureConnections
            let bond = try await fixture.withBoth { try await $0.pair(plan) }
            #expect(bond.identity == BondFixture.companion)
            #expect(bond.name == "Companion")
            #expect(bond.isPrivate)
            for _ in 0..<Self.restartCount {
                try await fixture.withBoth { pair in
                    #expect(await pair.host.bonds == [bond])
                    try await pair.reconnect(bond)
                    #expect(await pair.host.bonds == [bond])
                }
            }
        }
    }
}

extension BondedPair {
    /// Connects again. The central encrypts the link, and no Security Manager PDU is sent.
    func reconnect(_ bond: BondedPeer) async throws {
        try await companion.prepare()
        let link: Link
        if let peripheral {
            try await companion.connect(to: PairingPeripheral.address)
            link = try await peripheral.recorder.link()
            try await companion.encrypt()
            #expect(try await companion.client.read(peripheral.secret) == Companion.secretValue)
        } else {
            _ = try await advertise()
            link = try await host.connectQuickly(to: bond.identity)
            #expect(try await link.read(link.handle(Companion.secret)) == Companion.secretValue)
        }
        let security = try await link.security
        #expect(security.isEncrypted)
        #expect(security.isBonded)
        #expect(security == bond.security)
        #expect(try await link.bondedPeer?.identifier == bond.identifier)
        #expect(person.experiences == [])
        #expect(try await companion.countPassed() == 0)
        try await disconnect()
    }
}
