// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// The companion has forgotten our host. Our host never uses the link as if there had been no bond:
/// no value is sent before encryption, and the policy decides what happens.
@Suite(.needsPeers) struct BondLossTests {
    /// A policy for lost bonds, the answer of our user if the policy asks, and whether the host
    /// pairs again.
    struct Combination: Sendable, CustomTestStringConvertible {
        let policy: BondLossPolicy
        let answersYes: Bool
        let pairsAgain: Bool
        let testDescription: String

        static let all = [
            Combination(
                policy: .refuse,
                answersYes: true,
                pairsAgain: false,
                testDescription: "refuse"
            ),
            Combination(
                policy: .ask,
                answersYes: false,
                pairsAgain: false,
                testDescription: "ask, no"
            ),
            Combination(
                policy: .ask,
                answersYes: true,
                pairsAgain: true,
                testDescription: "ask, yes"
            ),
            Combination(
                policy: .pairOnce,
                answersYes: false,
                pairsAgain: true,
                testDescription: "pair once"
            ),
        ]
    }

    @Test("The host as central follows its policy for lost bonds", arguments: Combination.all)
    func asCentral(combination: Combination) async throws {
        try await withBondFixture(.central) { fixture in
            let bond = try await fixture.withBoth { try await $0.pair(Companion.Plan()) }
            let trace = Trace()
            try await fixture.withBoth(trace: trace) {
                $0.bondLossPolicy = combination.policy
            } _: { pair in
                try await pair.behave(combination)
                _ = try await pair.advertise()
                if combination.pairsAgain {
                    let link = try await pair.host.connectQuickly(to: bond.identity)
                    #expect(try await link.security.isEncrypted)
                    let secret = try await link.read(link.handle(Companion.secret))
                    #expect(secret == Companion.secretValue)
                } else {
                    await #expect(throws: HostError.bondLost) {
                        try await pair.host.connectQuickly(to: bond.identity)
                    }
                }
                try await pair.expectLoss(of: bond, combination)
            }
            try expectNoLeak(trace, pairsAgain: combination.pairsAgain)
        }
    }

    @Test("The host as peripheral follows its policy for lost bonds", arguments: Combination.all)
    func asPeripheral(combination: Combination) async throws {
        try await withBondFixture(.peripheral) { fixture in
            let bond = try await fixture.withBoth { try await $0.pair(Companion.Plan()) }
            let trace = Trace()
            try await fixture.withBoth(trace: trace) {
                $0.bondLossPolicy = combination.policy
            } _: { pair in
                try await pair.behave(combination)
                let peripheral = try #require(pair.peripheral)
                try await pair.companion.connect(to: PairingPeripheral.address)
                // Without encryption, the value is not sent.
                await #expect(throws: Client.Failure.self) {
                    try await pair.companion.client.read(peripheral.secret)
                }
                let outcome = try await pair.companion.pair()
                if combination.pairsAgain {
                    #expect(outcome.facts != nil, "\(outcome)")
                    let secret = try await pair.companion.client.read(peripheral.secret)
                    #expect(secret == Companion.secretValue)
                } else {
                    #expect(outcome.facts == nil)
                }
                try await pair.expectLoss(of: bond, combination)
            }
            try expectNoLeak(trace, pairsAgain: combination.pairsAgain)
        }
    }

    private func expectNoLeak(_ trace: Trace, pairsAgain: Bool) throws {
        let log = try PacketLog(trace)
        #expect(log.valuesInClear == [])
        #expect(!log.hasInClear(Companion.secretValue))
        #expect((log.countEncryptions(true) > 0) == pairsAgain)
    }
}

extension BondedPair {
    fileprivate func behave(_ combination: BondLossTests.Combination) async throws {
        var behavior = Person.Behavior()
        behavior.pairsAgain = combination.answersYes
        person.behave(behavior)
        try await companion.prepare()
        try await companion.forget()
    }

    /// Expects that the host has reported the loss, and that the bond is either new or stays until
    /// it is removed.
    fileprivate func expectLoss(of bond: BondedPeer, _ combination: BondLossTests.Combination)
        async throws
    {
        let lost = try await securityLog.next("a lost bond") { event in
            if case .bondLost(let peer) = event { peer } else { nil }
        }
        #expect(lost.identifier == bond.identifier)
        let bonds = await host.bonds
        #expect(bonds.map(\.identifier) == [bond.identifier])
        let companions = try await companion.bonds()
        #expect(companions.isEmpty == !combination.pairsAgain)
        let isAsked = if case .ask = combination.policy { true } else { false }
        #expect(person.experiences.contains(.askedAgain) == isAsked)
    }
}
