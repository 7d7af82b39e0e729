// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// LE Read Local P-256 Public Key and LE Generate DHKey as a host has them.
@Suite struct KeyAgreementTests {
    let world = World(seed: 11)

    @Test("two controllers come to the same secret by each other's public keys")
    func agree() throws {
        let alice = try makeHost()
        let bob = try makeHost()
        let aliceKey = try alice.readPublicKey()
        let bobKey = try bob.readPublicKey()
        #expect(aliceKey != bobKey)
        let aliceSecret = try alice.generateSecret(with: bobKey)
        let bobSecret = try bob.generateSecret(with: aliceKey)
        #expect(aliceSecret.status == .success)
        #expect(aliceSecret == bobSecret)
    }

    @Test("the public key comes when it is computed, to the nanosecond")
    func takesItsTime() throws {
        let host = try makeHost()
        world.run(for: .milliseconds(3))
        let start = world.now
        #expect(try host.status(HCI.LEReadLocalP256PublicKey()) == .success)
        world.run(for: KeyAgreement.computingTime - .nanoseconds(1))
        #expect(host.events.isEmpty)
        world.run(for: .nanoseconds(1))
        #expect(host.events.count == 1)
        #expect(host.instants == [start + KeyAgreement.computingTime])
    }

    @Test("every reading makes a new pair, and secrets are made with the last")
    func makesNewPairs() throws {
        let host = try makeHost()
        let peer = try #require(KeyPair.debug)
        let first = try host.readPublicKey()
        let second = try host.readPublicKey()
        #expect(first != second)
        let secret = try host.generateSecret(with: peer.publicKey).secret
        #expect(secret == peer.secret(with: second))
        #expect(secret != peer.secret(with: first))
    }

    @Test("the same seed makes the same keys, and another others")
    func followsFromSeed() throws {
        let keys = try [UInt64(7), 7, 8].map { seed in
            let host = try TestHost(World(seed: seed))
            return try host.readPublicKey()
        }
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    @Test("there is no secret without a pair of keys")
    func needsPair() throws {
        let host = try makeHost()
        let key = try #require(KeyPair.debug).publicKey
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .commandDisallowed)
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
    }

    @Test("one thing is computed at a time")
    func isBusy() throws {
        let host = try makeHost()
        let key = try #require(KeyPair.debug).publicKey
        #expect(try host.status(HCI.LEReadLocalP256PublicKey()) == .success)
        #expect(try host.status(HCI.LEReadLocalP256PublicKey()) == .commandDisallowed)
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .commandDisallowed)
        world.run(for: KeyAgreement.computingTime)
        #expect(host.events.count == 1)
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .success)
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .commandDisallowed)
        #expect(try host.status(HCI.LEReadLocalP256PublicKey()) == .commandDisallowed)
        world.run(for: KeyAgreement.computingTime)
        #expect(host.events.count == 2)
    }

    @Test("a key that is no point of the curve leads to nothing but ones")
    func refusesInvalidKeys() throws {
        let host = try makeHost()
        let key = try host.readPublicKey()
        let zero = HCI.P256PublicKey(x: HCI.Coordinate256(), y: HCI.Coordinate256())
        let ones = try #require(HCI.Coordinate256([UInt8](repeating: 0xFF, count: 32)))
        let invalid = [
            zero, HCI.P256PublicKey(x: key.x, y: HCI.Coordinate256()),
            HCI.P256PublicKey(x: HCI.Coordinate256(), y: key.y),
            HCI.P256PublicKey(x: key.y, y: key.x), HCI.P256PublicKey(x: ones, y: ones),
        ]
        for key in invalid {
            let result = try host.generateSecret(with: key)
            #expect(result.status == .invalidCommandParameters)
            #expect(result.secret.bytes == [UInt8](repeating: 0xFF, count: 32))
        }
        let valid = try host.generateSecret(with: key)
        #expect(valid.status == .success)
    }

    @Test("version 2 computes with the debug pair, which needs no making")
    func usesDebugPair() throws {
        let host = try makeHost()
        let peer = try KeyPair.bigEndian(
            "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
        )
        let command = HCI.LEGenerateDHKeyV2(publicKey: peer.publicKey, pair: .debug)
        #expect(try host.status(command) == .success)
        let secret = try host.takeSecret().secret
        #expect(secret == peer.secret(with: try #require(KeyPair.debug).publicKey))
    }

    @Test("version 2 computes with the own pair as version 1 does")
    func usesOwnPair() throws {
        let host = try makeHost()
        let peer = try #require(KeyPair.debug).publicKey
        let command = HCI.LEGenerateDHKeyV2(publicKey: peer, pair: .own)
        #expect(try host.status(command) == .commandDisallowed)
        _ = try host.readPublicKey()
        #expect(try host.status(command) == .success)
        #expect(try host.takeSecret() == host.generateSecret(with: peer))
    }

    @Test("version 2 knows two pairs")
    func refusesOtherPairs() throws {
        let host = try makeHost()
        let key = try host.readPublicKey()
        for number in UInt8(2)...255 {
            let command = HCI.LEGenerateDHKeyV2(
                publicKey: key,
                pair: HCI.KeyPairChoice(rawValue: number)
            )
            #expect(try host.status(command) == .invalidCommandParameters)
        }
    }

    @Test("Reset forgets the pair and what is being computed")
    func isReset() throws {
        let host = try makeHost()
        let key = try host.readPublicKey()
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .success)
        try host.perform(HCI.Reset())
        try host.unmaskEverything()
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .commandDisallowed)
        _ = try host.readPublicKey()
    }

    @Test("LE Rand follows from the seed and does not repeat itself")
    func random() throws {
        var seen: Set<UInt64> = []
        let first = try TestHost(World(seed: 4))
        let second = try TestHost(World(seed: 4))
        for _ in 0..<100 {
            let number = try first.perform(HCI.LERand()).random
            #expect(try second.perform(HCI.LERand()).random == number)
            #expect(seen.insert(number).inserted)
        }
    }

    private func makeHost() throws -> TestHost { try TestHost(world) }
}

extension TestHost {
    /// Has a pair made, and returns its public key.
    func readPublicKey() throws -> HCI.P256PublicKey {
        forget()
        #expect(try status(HCI.LEReadLocalP256PublicKey()) == .success)
        world.run(for: KeyAgreement.computingTime)
        guard case .readLocalP256PublicKeyComplete(let event)? = events.last else {
            throw HCI.ErrorCode.hardwareFailure
        }
        #expect(event.status == .success)
        forget()
        return event.publicKey
    }

    /// Has a secret made.
    func generateSecret(with key: HCI.P256PublicKey) throws -> HCI.LEGenerateDHKeyComplete {
        forget()
        #expect(try status(HCI.LEGenerateDHKey(publicKey: key)) == .success)
        return try takeSecret()
    }

    /// Waits for the secret that was asked for.
    func takeSecret() throws -> HCI.LEGenerateDHKeyComplete {
        world.run(for: KeyAgreement.computingTime)
        guard case .generateDHKeyComplete(let event)? = events.last else {
            throw HCI.ErrorCode.hardwareFailure
        }
        forget()
        return event
    }
}
