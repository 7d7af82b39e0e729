// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// LE Read Local P-256 Public Key and LE Generate DHKey as a host uses them.
@Suite struct KeyAgreementTests {
    let world = World(seed: 11)

    @Test("Two controllers compute the same secret from each other's public keys")
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

    @Test("The controller reports the public key exactly when the computing time is over")
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

    @Test("Every read makes a new key pair, and secrets use the last key pair")
    func makesNewPairs() throws {
        let host = try makeHost()
        let peer = try #require(P256KeyPair.debug)
        let first = try host.readPublicKey()
        let second = try host.readPublicKey()
        #expect(first != second)
        let secret = try host.generateSecret(with: try peer.hciKey).secret
        #expect(secret == peer.secret(with: second))
        #expect(secret != peer.secret(with: first))
    }

    @Test("The same seed makes the same keys, and another seed makes other keys")
    func followsFromSeed() throws {
        let keys = try [UInt64(7), 7, 8].map { seed in
            let host = try TestHost(World(seed: seed))
            return try host.readPublicKey()
        }
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    @Test("LE Generate DHKey is refused without a key pair")
    func needsPair() throws {
        let host = try makeHost()
        let key = try #require(P256KeyPair.debug).hciKey
        #expect(try host.status(HCI.LEGenerateDHKey(publicKey: key)) == .commandDisallowed)
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
    }

    @Test("A second computation is refused while one runs")
    func isBusy() throws {
        let host = try makeHost()
        let key = try #require(P256KeyPair.debug).hciKey
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

    @Test("A public key that is not on the curve results in a secret of all ones")
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

    @Test("LE Generate DHKey v2 can use the debug key pair, which always exists")
    func usesDebugPair() throws {
        let host = try makeHost()
        // The second private key of the specification's sample data (Vol 2, Part G, 7.1.2.1).
        let digits = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
        let privateKey = try #require([UInt8](hexadecimal: digits))
        let peer = try #require(P256KeyPair(privateKey: privateKey))
        let command = HCI.LEGenerateDHKeyV2(publicKey: try peer.hciKey, pair: .debug)
        #expect(try host.status(command) == .success)
        let secret = try host.takeSecret().secret
        #expect(secret == peer.secret(with: try #require(P256KeyPair.debug).hciKey))
        #expect(
            secret.bytes.reversed().hexadecimal
                == "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
        )
    }

    @Test("LE Generate DHKey v2 can use the same key pair as v1")
    func usesOwnPair() throws {
        let host = try makeHost()
        let peer = try #require(P256KeyPair.debug).hciKey
        let command = HCI.LEGenerateDHKeyV2(publicKey: peer, pair: .own)
        #expect(try host.status(command) == .commandDisallowed)
        _ = try host.readPublicKey()
        #expect(try host.status(command) == .success)
        #expect(try host.takeSecret() == host.generateSecret(with: peer))
    }

    @Test("LE Generate DHKey v2 refuses any other choice of key pair")
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

    @Test("Reset clears the key pair and the running computation")
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

    @Test("With the same seed, LE Rand returns the same numbers, and no number twice")
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
    /// Requests a new key pair from the controller, and returns the public key.
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

    /// Requests the secret with a peer's public key, and returns the result.
    func generateSecret(with key: HCI.P256PublicKey) throws -> HCI.LEGenerateDHKeyComplete {
        forget()
        #expect(try status(HCI.LEGenerateDHKey(publicKey: key)) == .success)
        return try takeSecret()
    }

    /// Waits until the controller has computed the secret, and returns the result.
    func takeSecret() throws -> HCI.LEGenerateDHKeyComplete {
        world.run(for: KeyAgreement.computingTime)
        guard case .generateDHKeyComplete(let event)? = events.last else {
            throw HCI.ErrorCode.hardwareFailure
        }
        forget()
        return event
    }
}

extension P256KeyPair {
    /// The public key in the form of HCI.
    fileprivate var hciKey: HCI.P256PublicKey {
        get throws { try #require(HCI.P256PublicKey(publicKey)) }
    }

    /// Returns the secret in the byte order of HCI.
    fileprivate func secret(with key: HCI.P256PublicKey) -> HCI.SharedSecret256? {
        sharedSecret(with: P256PublicKey(key)).flatMap { HCI.SharedSecret256($0.reversed()) }
    }
}
