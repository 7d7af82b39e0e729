// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Our host, an attacker, and an honest companion on one radio.
struct HostilePeerHarness: Sendable {
    /// The number that the user of our host enters.
    static let passkey: UInt32 = 987_654

    let host: BluetoothHost
    let person: Person
    let attacker: Attacker
    let companion: Companion
    let role: LinkRole

    /// The pairing policy of the host. It allows all features that an attacker might request.
    static var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = .keyboardDisplay
        policy.allowsLegacyPairing = true
        return policy
    }

    static func configuration(_ person: Person) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.address = PairingPeripheral.address
        configuration.pairing = policy
        configuration.pairingDelegate = person
        return configuration
    }

    /// Returns the address of the attacker, or of the honest device, with the number `place`. Each
    /// attack uses another device, because a device whose pairing failed must wait before it may
    /// pair again.
    static func address(_ place: Int, isHostile: Bool) -> DeviceAddress {
        let base: UInt64 = isHostile ? 0xFBAD_0000_0000 : 0xF1B0_0000_0000
        return DeviceAddress(value: base + UInt64(place), kind: .random)
    }

    /// Makes the attacker attack and disconnect. Returns the attacker's outcome, the PDUs of both
    /// sides, and the error of our host's pairing.
    func attack(
        _ plan: Attacker.Plan,
        from address: DeviceAddress
    ) async throws -> (Attacker.Outcome, [Attacker.ExchangedPDU], (any Error)?) {
        person.behave(Self.behavior)
        try await attacker.setAddress(address)
        guard role == .central else {
            try await attacker.connect(to: PairingPeripheral.address)
            let (outcome, passed) = try await attacker.attack(plan)
            try? await attacker.disconnect()
            return (outcome, passed, nil)
        }
        try await attacker.advertise()
        let link = try await host.connectQuickly(to: address)
        try await attacker.awaitLink()
        attacker.beginAttack(plan)
        async let pairing = error { try await link.pair() }
        let (outcome, passed) = try await attacker.outcome()
        try? await attacker.disconnect()
        return (outcome, passed, await pairing)
    }

    /// Pairs with an honest device, which then deletes its keys. The host also removes its bond,
    /// unless `stays` is `true`.
    func pairHonestly(with address: DeviceAddress, stays: Bool = false) async throws {
        person.behave(Self.behavior)
        try await companion.setAddress(address)
        try await companion.prepare()
        if role == .central {
            try await companion.advertise()
            let link = try await host.connectQuickly(to: address)
            companion.awaitPairing()
            let security = try await within(PeerHarness.limit, "keys") { try await link.pair() }
            #expect(security.isEncrypted)
            let facts = try await companion.outcome().facts
            #expect(facts?.method == "JUST_WORKS")
            try await link.disconnect()
            try await companion.awaitEnd()
        } else {
            try await companion.connect(to: PairingPeripheral.address)
            let outcome = try await companion.pair()
            #expect(outcome.facts?.method == "JUST_WORKS", "\(outcome)")
            try await companion.disconnect()
        }
        try await companion.forget()
        let bond = await host.bonds.first { $0.identity == address }
        #expect(bond != nil)
        if let bond, !stays { await host.removeBond(bond.identifier) }
    }

    private static var behavior: Person.Behavior {
        var behavior = Person.Behavior()
        behavior.enters = passkey
        return behavior
    }
}

/// Gives `body` a harness with an attacker, and returns the packets of our host.
func withHostilePeers(
    _ role: LinkRole,
    _ body: (HostilePeerHarness) async throws -> Void
) async throws -> Trace {
    let trace = Trace()
    try await withPeerHarness(peerLimit: 2) { harness in
        let person = Person()
        let attacker = try await harness.attacker(at: 1)
        let companion = try await harness.companion(at: 2)
        try await harness.withHost(HostilePeerHarness.configuration(person), trace: trace) { host in
            if role == .peripheral {
                _ = try await PairingPeripheral(host, person: person, companion: companion)
            }
            try await body(
                HostilePeerHarness(
                    host: host,
                    person: person,
                    attacker: attacker,
                    companion: companion,
                    role: role
                )
            )
        }
    }
    return trace
}
