// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Results of a pairing with Bumble beyond the specification's table: out-of-band data, short keys,
/// keys that are not stored, keypress notifications, and declined requests.
@Suite(.needsPeers) struct PairingOptionsTests {
    /// Gives `body` our host as central on a radio of its own, and a companion.
    private func withPair(
        _ body: (PairingFixture) async throws -> Void
    ) async throws {
        try await withPeerHarness { harness in
            let companion = try await harness.companion()
            let person = Person()
            var configuration = HostConfiguration()
            configuration.pairingDelegate = person
            try await harness.withHost(configuration) { host in
                try await body(PairingFixture(host: host, person: person, companion: companion))
            }
        }
    }

    @Test("Out-of-band data of the companion authenticates the pairing")
    func outOfBand() async throws {
        try await withPair { fixture in
            var policy = Pairing.Policy()
            policy.requiresAuthentication = true
            policy.peerOutOfBandData = try await fixture.companion.share()
            var plan = Companion.Plan()
            plan.outOfBandData = ""
            let (result, outcome) = try await fixture.pair(policy, plan)
            #expect(try result.get().isAuthenticated)
            #expect(outcome.facts?.method == "OOB")
        }
    }

    @Test("A shared temporary key authenticates legacy pairing")
    func temporaryKey() async throws {
        let key = [UInt8](1...16)
        try await withPair { fixture in
            var policy = Pairing.Policy()
            policy.allowsLegacyPairing = true
            policy.requiresAuthentication = true
            policy.peerOutOfBandData = try Pairing.OutOfBandData(temporaryKey: key)
            var plan = Companion.Plan()
            plan.usesSecureConnections = false
            plan.temporaryKey = key
            let (result, outcome) = try await fixture.pair(policy, plan)
            #expect(try result.get().isAuthenticated)
            #expect(try !result.get().usesSecureConnections)
            #expect(outcome.facts?.method == "OOB")
        }
    }

    @Test("A pairing uses the key size of both sides and refuses a smaller one", arguments: 7...16)
    func keySizes(size: Int) async throws {
        try await withPair { fixture in
            for generation in PairingCase.Generation.allCases {
                var policy = Pairing.Policy()
                policy.allowsLegacyPairing = true
                policy.minimumKeySize = size
                var plan = Companion.Plan()
                plan.usesSecureConnections = generation == .secureConnections
                plan.keySize = size
                let (result, outcome) = try await fixture.pair(policy, plan)
                #expect(try result.get().keySize == size)
                #expect(outcome.facts?.keySize == size)
                // The host refuses a key that is a byte shorter.
                guard size > 7 else { continue }
                plan.keySize = size - 1
                let (refusal, theirs) = try await fixture.pair(policy, plan)
                #expect(refusal.failure == .refused(.encryptionKeySize))
                #expect(theirs == .failed(.encryptionKeySize, byPeer: true))
            }
        }
    }

    @Test("The host refuses legacy pairing by default")
    func legacyPairing() async throws {
        try await withPair { fixture in
            var plan = Companion.Plan()
            plan.usesSecureConnections = false
            let (result, outcome) = try await fixture.pair(Pairing.Policy(), plan)
            #expect(result.failure == .refused(.authenticationRequirements))
            #expect(outcome == .failed(.authenticationRequirements, byPeer: true))
        }
    }

    @Test("A pairing without bonding encrypts the link and stores no keys")
    func noBonding() async throws {
        try await withPair { fixture in
            var plan = Companion.Plan()
            plan.isBonding = false
            let (result, outcome) = try await fixture.pair(Pairing.Policy(), plan, forgets: false)
            #expect(try result.get().isEncrypted)
            #expect(try !result.get().isBonded)
            #expect(outcome.facts != nil)
            #expect(await fixture.host.bonds == [])
        }
    }

    @Test("The host notifies the peer of keypresses")
    func keypresses() async throws {
        try await withPair { fixture in
            var policy = Pairing.Policy()
            policy.ioCapability = .keyboardOnly
            policy.usesKeypressNotifications = true
            var plan = Companion.Plan()
            plan.io = .displayOnly
            plan.usesKeypresses = true
            var behavior = Person.Behavior()
            behavior.enters = plan.shows
            behavior.presses = [
                .digitEntered, .digitEntered, .digitErased, .cleared, .digitEntered,
            ]
            let (result, outcome) = try await fixture.pair(policy, plan, behavior)
            #expect(try result.get().isAuthenticated)
            #expect(outcome.facts?.keypresses == [0, 1, 1, 2, 3, 1, 4])
        }
    }

    @Test("The peer receives the reason if the host's user declines a pairing")
    func declinedByUser() async throws {
        try await withPair { fixture in
            var policy = Pairing.Policy()
            policy.ioCapability = .displayYesNo
            var plan = Companion.Plan()
            plan.io = .displayYesNo
            var behavior = Person.Behavior()
            behavior.confirms = false
            let (result, outcome) = try await fixture.pair(policy, plan, behavior)
            #expect(result.failure == .declined)
            #expect(outcome == .failed(.numericComparisonFailed, byPeer: true))
            policy.ioCapability = .keyboardOnly
            let (second, theirs) = try await fixture.pair(policy, plan, Person.Behavior())
            #expect(second.failure == .declined)
            #expect(theirs == .failed(.passkeyEntryFailed, byPeer: true))
        }
    }

    @Test(
        "The host receives the reason if the peer's user declines a pairing",
        arguments: [
            (
                "accept", Pairing.IOCapability.noInputNoOutput,
                Pairing.FailureReason.pairingNotSupported
            ),
            ("confirm", .noInputNoOutput, .confirmValueFailed),
            ("compare", .displayYesNo, .confirmValueFailed),
            ("enter", .keyboardOnly, .passkeyEntryFailed),
        ]
    )
    func declinedByPeer(
        what: String,
        capability: Pairing.IOCapability,
        reason: Pairing.FailureReason
    ) async throws {
        try await withPair { fixture in
            var policy = Pairing.Policy()
            policy.ioCapability = .displayYesNo
            var plan = Companion.Plan()
            plan.io = capability
            plan.declines = [what]
            let (result, outcome) = try await fixture.pair(policy, plan)
            #expect(result.failure == .refusedByPeer(reason))
            #expect(outcome == .failed(reason, byPeer: false))
        }
    }
}

/// Our host as central, and a companion that becomes another device for each pairing.
private final class PairingFixture {
    let host: BluetoothHost
    let person: Person
    let companion: Companion
    private var count = 0

    init(host: BluetoothHost, person: Person, companion: Companion) {
        self.host = host
        self.person = person
        self.companion = companion
    }

    /// Pairs once. Returns our host's result and the companion's.
    func pair(
        _ policy: Pairing.Policy,
        _ plan: Companion.Plan,
        _ behavior: Person.Behavior = Person.Behavior(),
        forgets: Bool = true
    ) async throws -> (Result<LinkSecurity, any Error>, Companion.Outcome) {
        count += 1
        let address = HostilePeerHarness.address(count, isHostile: false)
        person.behave(behavior)
        try await companion.setAddress(address)
        try await companion.prepare(plan)
        try await companion.advertise()
        let link = try await host.connectQuickly(to: address)
        companion.awaitPairing()
        let result = await outcome { try await link.pair(policy) }
        if case .failure = result { try? await link.disconnect() }
        let theirs = try await companion.outcome()
        try? await link.disconnect()
        try await companion.awaitEnd()
        try await companion.forget()
        if forgets { await host.forgetAll() }
        return (result, theirs)
    }
}

extension Result<LinkSecurity, any Error> {
    fileprivate var failure: Pairing.Failure? {
        if case .failure(let error) = self { error as? Pairing.Failure } else { nil }
    }
}
