// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// The companion disconnects at every step of a pairing, or its process ends at some steps. Our
/// host keeps no partial bond, and pairs with the next companion.
@Suite(.needsPeers) struct LeavingTests {
    /// More PDUs than any pairing here has.
    private static let stepLimit = 40

    struct Variant: Sendable, CustomTestStringConvertible {
        let role: LinkRole
        let generation: PairingCase.Generation

        static let all: [Variant] = [LinkRole.central, .peripheral].flatMap { role in
            PairingCase.Generation.allCases.map { Variant(role: role, generation: $0) }
        }

        var testDescription: String { "our \(role), \(generation.rawValue)" }
    }

    @Test("A disconnection at any step of a pairing leaves no partial bond", arguments: Variant.all)
    func disconnection(variant: Variant) async throws {
        try await withPeerHarness { harness in
            let companion = try await harness.companion()
            let person = Person()
            let configuration = HostilePeerHarness.configuration(person)
            try await harness.withHost(configuration) { host in
                var fixture = LeavingFixture(host: host, companion: companion, variant: variant)
                if variant.role == .peripheral {
                    fixture.peripheral = try await PairingPeripheral(
                        host,
                        person: person,
                        companion: companion
                    )
                }
                var step = 1
                while step < Self.stepLimit, try await fixture.disconnects(at: step) { step += 1 }
                #expect(step > 6 && step < Self.stepLimit)
                print("our \(variant.role), \(variant.generation.rawValue): \(step - 1) steps")
            }
        }
    }

    @Test("A peer whose process ends during a pairing leaves no bond", arguments: [1, 4, 7])
    func killedPeer(step: Int) async throws {
        try await withPeerHarness(peerLimit: 2) { harness in
            let person = Person()
            let configuration = HostilePeerHarness.configuration(person)
            try await harness.withHost(configuration) { host in
                let companion = try await harness.companion(at: 1)
                var plan = Companion.Plan()
                plan.vanishes = step
                try await companion.prepare(plan)
                try await companion.advertise()
                let link = try await host.connectQuickly(to: PeerHarness.address(at: 1))
                await #expect(throws: (any Error).self) {
                    try await within(PeerHarness.limit, "an end") { try await link.pair() }
                }
                #expect(await host.bonds == [])
                let next = try await harness.companion(at: 2)
                try await next.prepare()
                try await next.advertise()
                let other = try await host.connectQuickly(to: PeerHarness.address(at: 2))
                #expect(
                    try await within(PeerHarness.limit, "keys") { try await other.pair() }
                        .isEncrypted
                )
            }
        }
    }
}

private struct LeavingFixture {
    let host: BluetoothHost
    let companion: Companion
    let variant: LeavingTests.Variant
    var peripheral: PairingPeripheral?

    /// Makes the companion disconnect at a step. Returns `false` if the pairing was complete
    /// before.
    func disconnects(at step: Int) async throws -> Bool {
        let address = HostilePeerHarness.address(step, isHostile: false)
        var plan = Companion.Plan()
        plan.usesSecureConnections = variant.generation == .secureConnections
        plan.leaves = step
        try await companion.setAddress(address)
        try await companion.prepare(plan)
        try await pair(with: address)
        let isOver = try await companion.countPassed() < step
        try? await companion.disconnect()
        // There is no bond until the last keys were distributed. The side that distributed them may
        // report success.
        let bonds = await host.bonds
        #expect(bonds.count <= 1)
        if isOver { #expect(bonds.map(\.identity) == [address]) }
        await host.forgetAll()
        try await companion.forget()
        return !isOver
    }

    private func pair(with address: DeviceAddress) async throws {
        if let peripheral {
            try await companion.connect(to: PairingPeripheral.address)
            let link = try await peripheral.recorder.link()
            _ = try await companion.pair()
            // Our host answers this request only after it has stored the last keys.
            _ = try? await companion.client.perform("probe")
            _ = try? await link.security
            return
        }
        try await companion.advertise()
        let link = try await host.connectQuickly(to: address)
        companion.awaitPairing()
        let result = await outcome { try await link.pair() }
        _ = try await companion.outcome()
        #expect(await host.bonds.map(\.identity) == (result.isSuccess ? [address] : []))
    }
}
