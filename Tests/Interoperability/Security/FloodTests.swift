// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Whoever knows our address can ask for a pairing as often as it likes, or say that it is a friend.
@Suite(.needsPeers) struct FloodTests {
    private static let flood = 200

    private static let held: [UInt8] = [0x05, Pairing.FailureReason.repeatedAttempts.rawValue]

    private static let friend = HostileArena.address(0, isHostile: false)

    /// CVE-2020-13594 and its like: a hundred requests are one.
    @Test func aFloodOfSecurityRequestsLeadsToOnePairing() async throws {
        let request: [UInt8] = [0x0B, 0x09]
        _ = try await withHostileArena(.central) { arena in
            let address = HostileArena.address(1, isHostile: true)
            try await arena.impostor.become(address)
            try await arena.impostor.advertise()
            let link = try await arena.host.connectQuickly(to: address)
            try await arena.impostor.linked()
            try await arena.impostor.say(Array(repeating: request, count: Self.flood))
            // The channel of attributes lives beside it.
            #expect(try await !link.discoverServices().isEmpty)
            #expect(try await !link.security.isEncrypted)
            try await arena.impostor.disconnect()
            #expect(await arena.host.bonds == [])
            try await arena.pairHonestly(with: Self.friend)
        }
    }

    /// Nobody is asked again and again: whom somebody has declined has to wait, and is told Repeated
    /// Attempts.
    @Test func aFloodOfPairingRequestsIsHeldOff() async throws {
        let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 16, 0x03, 0x03]
        _ = try await withHostileArena(.peripheral) { arena in
            let impostor = arena.impostor
            var manner = Person.Manner()
            manner.consents = false
            arena.person.behave(manner)
            try await impostor.become(HostileArena.address(1, isHostile: true))
            try await impostor.connect(to: PairingPeripheral.address)
            let (outcome, _) = try await impostor.attack()
            #expect(outcome == .refused(.pairingNotSupported))
            try await impostor.say(Array(repeating: request, count: Self.flood))
            #expect(try await impostor.hear() == Self.held)
            try await impostor.client.perform("probe")
            #expect(arena.person.experiences == [.consented])
            try await impostor.disconnect()
            #expect(await arena.host.bonds == [])
            try await arena.pairHonestly(with: Self.friend)
        }
    }

    /// CVE-2019-19194: no key is not a key of zeros.
    @Test func withoutABondNoKeyEncrypts() async throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        _ = try await withHostileArena(.peripheral) { arena in
            try await arena.impostor.become(HostileArena.address(1, isHostile: true))
            try await arena.impostor.connect(to: PairingPeripheral.address)
            #expect(try await !arena.impostor.encrypt(with: zeros))
            #expect(try await !arena.impostor.encrypt(with: zeros, diversifier: 1))
            try await arena.impostor.disconnect()
            try await arena.pairHonestly(with: Self.friend)
        }
    }

    /// An address is not a proof: what the friend may read, its double may not.
    @Test func aDoubleOfAFriendReadsNothing() async throws {
        let trace = try await withHostileArena(.peripheral) { arena in
            try await arena.pairHonestly(with: Self.friend, stays: true)
            let bonds = await arena.host.bonds
            try await arena.impostor.become(Self.friend)
            try await arena.impostor.connect(to: PairingPeripheral.address)
            let client = arena.impostor.client
            await #expect(throws: Client.Failure.refused(.insufficientEncryption)) {
                try await client.read(client.handle(Companion.secret))
            }
            // With another key it gets as far as the first packet, which nobody can read.
            await #expect(throws: Client.Failure.self) {
                try await arena.impostor.encrypt(with: [UInt8](1...16))
            }
            #expect(await arena.host.bonds == bonds)
        }
        // The friend has read nothing either.
        #expect(!(try PacketLog(trace).hasInClear(Companion.secretValue)))
    }

    /// BLURtooth and its like (CVE-2020-15802, CVE-2021-3436): whoever tells an identity that is
    /// somebody else's gets nothing that is its, and takes nothing away.
    @Test(arguments: [LinkRole.central, .peripheral])
    func nobodyTakesTheIdentityOfAFriend(role: LinkRole) async throws {
        _ = try await withHostileArena(role) { arena in
            try await arena.pairHonestly(with: Self.friend, stays: true)
            let bonds = await arena.host.bonds
            var plan = Impostor.Plan()
            plan.identity = Self.friend
            let address = HostileArena.address(1, isHostile: true)
            _ = try await arena.meet(plan, from: address)
            let after = await arena.host.bonds.filter { $0.identity == Self.friend }
            #expect(after == bonds)
            try await arena.pairHonestly(with: HostileArena.address(2, isHostile: false))
        }
    }
}
