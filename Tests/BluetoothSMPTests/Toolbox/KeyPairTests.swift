// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

@Suite("Encoded key pairs")
struct KeyPairTests {
    let debugX = "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
    let debugY = "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
    let privateB = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
    let secret = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"

    @Test("The debug key pair is encoded least significant byte first")
    func debug() throws {
        let pair = try #require(SMP.KeyPair.debug)
        #expect(try pair.publicKey.x == coordinate(debugX))
        #expect(try pair.publicKey.y == coordinate(debugY))
        #expect(pair.publicKey.isPublishedDebugKey)
    }

    @Test("Shared secrets match the sample data (Vol 2, Part G, 7.1.2.1)")
    func secrets() throws {
        let pair = try #require(SMP.KeyPair(privateKey: privateB.bytes))
        let debug = try #require(SMP.KeyPair.debug)
        let expected = try #require(HCI.SharedSecret256(secret.bytes.reversed()))
        #expect(pair.sharedSecret(with: debug.publicKey) == expected)
        #expect(debug.sharedSecret(with: pair.publicKey) == expected)
    }

    @Test("The debug key is recognized by x alone, which its negation shares")
    func negatedDebugKey() throws {
        var generator = SplitMix64(seed: 1)
        var key = try #require(SMP.KeyPair.debug).publicKey
        key.y = HCI.Coordinate256()
        #expect(key.isPublishedDebugKey)
        #expect(try #require(SMP.KeyPair(using: &generator)).publicKey.isPublishedDebugKey == false)
    }

    @Test("A key that is not a point of the curve gives no secret")
    func invalid() throws {
        let debug = try #require(SMP.KeyPair.debug)
        let zero = SMP.PublicKey(x: HCI.Coordinate256(), y: HCI.Coordinate256())
        let turned = SMP.PublicKey(x: debug.publicKey.y, y: debug.publicKey.x)
        let halved = SMP.PublicKey(x: debug.publicKey.x, y: HCI.Coordinate256())
        for key in [zero, turned, halved] {
            #expect(!key.isValid)
            #expect(debug.sharedSecret(with: key) == nil)
        }
        #expect(debug.publicKey.isValid)
    }
}
