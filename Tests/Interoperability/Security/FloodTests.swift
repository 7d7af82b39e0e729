// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// A device that knows our address can request any number of pairings, or claim another device's
/// identity.
@Suite(.needsPeers) struct FloodTests {
    private static let flood = 200

    private static let held: [UInt8] = [0x05, Pairing.FailureReason.repeatedAttempts.rawValue]

    private static let bondedAddress = HostilePeerHarness.address(0, isHostile: false)

    /// Two hundred security requests arrive at once.
    @Test("A flood of security requests neither blocks the link nor leads to a bond")
    func securityRequests() async throws {
        let request: [UInt8] = [0x0B, 0x09]
        _ = try await withHostilePeers(.central) { harness in
            let address = HostilePeerHarness.address(1, isHostile: true)
            try await harness.attacker.setAddress(address)
            try await harness.attacker.advertise()
            let link = try await harness.host.connectQuickly(to: address)
            try await harness.attacker.awaitLink()
            try await harness.attacker.send(Array(repeating: request, count: Self.flood))
            // The ATT channel keeps working meanwhile.
            #expect(try await !link.discoverServices().isEmpty)
            #expect(try await !link.security.isEncrypted)
            try await harness.attacker.disconnect()
            #expect(await harness.host.bonds == [])
            try await harness.pairHonestly(with: Self.bondedAddress)
        }
    }

    /// The user is not asked repeatedly: a declined peer has to wait, and is refused with Repeated
    /// Attempts.
    @Test("A flood of pairing requests asks the user only once")
    func pairingRequests() async throws {
        let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 16, 0x03, 0x03]
        _ = try await withHostilePeers(.peripheral) { harness in
            let attacker = harness.attacker
            var behavior = Person.Behavior()
            behavior.consents = false
            harness.person.behave(behavior)
            try await attacker.setAddress(HostilePeerHarness.address(1, isHostile: true))
            try await attacker.connect(to: PairingPeripheral.address)
            let (outcome, _) = try await attacker.attack()
            #expect(outcome == .refused(.pairingNotSupported))
            try await attacker.send(Array(repeating: request, count: Self.flood))
            #expect(try await attacker.nextPDU() == Self.held)
            try await attacker.client.perform("probe")
            #expect(harness.person.experiences == [.consented])
            try await attacker.disconnect()
            #expect(await harness.host.bonds == [])
            try await harness.pairHonestly(with: Self.bondedAddress)
        }
    }

    /// Each address has a back-off of its own, and an attacker can use any number of addresses.
    @Test("Pairing requests from twelve addresses ask the user only three times")
    func manyAddresses() async throws {
        _ = try await withHostilePeers(.peripheral) { harness in
            var behavior = Person.Behavior()
            behavior.consents = false
            harness.person.behave(behavior)
            var outcomes: [Attacker.Outcome] = []
            for place in 1...12 {
                try await harness.attacker.setAddress(
                    HostilePeerHarness.address(place, isHostile: true)
                )
                try await harness.attacker.connect(to: PairingPeripheral.address)
                outcomes.append(try await harness.attacker.attack().0)
                try await harness.attacker.disconnect()
            }
            let limit = 3
            #expect(harness.person.experiences.count == limit)
            let refusals = outcomes.dropFirst(limit)
            #expect(refusals.allSatisfy { $0 == .refused(.repeatedAttempts) }, "\(outcomes)")
        }
    }

    /// CVE-2019-19194: a missing key is not a key of zeros.
    @Test("No key encrypts a link without a bond")
    func unbondedKeys() async throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        _ = try await withHostilePeers(.peripheral) { harness in
            try await harness.attacker.setAddress(HostilePeerHarness.address(1, isHostile: true))
            try await harness.attacker.connect(to: PairingPeripheral.address)
            #expect(try await !harness.attacker.encrypt(with: zeros))
            #expect(try await !harness.attacker.encrypt(with: zeros, diversifier: 1))
            try await harness.attacker.disconnect()
            try await harness.pairHonestly(with: Self.bondedAddress)
        }
    }

    /// An address is not a proof: a device with a bonded peer's address cannot read that peer's
    /// values.
    @Test("A device with a bonded peer's address reads no protected value")
    func copiedAddress() async throws {
        let trace = try await withHostilePeers(.peripheral) { harness in
            try await harness.pairHonestly(with: Self.bondedAddress, stays: true)
            let bonds = await harness.host.bonds
            try await harness.attacker.setAddress(Self.bondedAddress)
            try await harness.attacker.connect(to: PairingPeripheral.address)
            let client = harness.attacker.client
            await #expect(throws: Client.Failure.refused(.insufficientEncryption)) {
                try await client.read(client.handle(Companion.secret))
            }
            // With a wrong key, encryption starts and the first packet cannot be decrypted.
            await #expect(throws: Client.Failure.self) {
                try await harness.attacker.encrypt(with: [UInt8](1...16))
            }
            #expect(await harness.host.bonds == bonds)
        }
        // The bonded peer has not read the value either.
        #expect(!(try PacketLog(trace).hasInClear(Companion.secretValue)))
    }

    /// BLURtooth and similar attacks (CVE-2020-15802, CVE-2021-3436): a peer that claims another
    /// peer's identity neither uses nor removes that peer's bond.
    @Test(
        "A peer that claims a bonded peer's identity does not change the bond",
        arguments: [LinkRole.central, .peripheral]
    )
    func claimedIdentity(role: LinkRole) async throws {
        _ = try await withHostilePeers(role) { harness in
            try await harness.pairHonestly(with: Self.bondedAddress, stays: true)
            let bonds = await harness.host.bonds
            var plan = Attacker.Plan()
            plan.identity = Self.bondedAddress
            let address = HostilePeerHarness.address(1, isHostile: true)
            _ = try await harness.attack(plan, from: address)
            let after = await harness.host.bonds.filter { $0.identity == Self.bondedAddress }
            #expect(after == bonds)
            try await harness.pairHonestly(with: HostilePeerHarness.address(2, isHostile: false))
        }
    }
}
