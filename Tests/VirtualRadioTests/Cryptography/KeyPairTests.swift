// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite struct KeyPairTests {
    /// A private key, its public key, a peer's public key, and the secret: computed by Python's
    /// `cryptography`, the least significant octet first.
    struct Agreement: Sendable {
        let privateKey, x, y, peerX, peerY, secret: String
    }

    static let agreements = [
        Agreement(
            privateKey: "923a736994e3bf911a61dbe22e44158bae97ba94d0eda82f8f6d05584ef8aa38",
            x: "54440f69854a8672042f14498d3dcd7238e492f30179105fa805b8c8a37e879f",
            y: "6881c1260e372a0baa461c3fd701087ac170460200b2231ea89278cc905249df",
            peerX: "10ce07ce7ef5e6f3cbf11bd0d8f9058a9af7b33b43f231ea9d221b344f7f1207",
            peerY: "25e02aaa260560c63d8cc2aed82f5cc2ab942b4124f6d344562da7181c37be58",
            secret: "c266e42e8195e38a05157cb737b3206c121a71aa81635086ca4ca9f5118786db"
        ),
        Agreement(
            privateKey: "c6f877186d76b07e881ed162ae2eb1547f15052434b9b5df9e7769b10f4205b4",
            x: "bd3a84c163a2675b447bb91101d728ffb8a185acfb9457227652d6865f13e9b0",
            y: "abe78863e1c45d45d3b438c0f94dec0b1468c295d8c51edeb0798739882aaa48",
            peerX: "4a3d0a713c2063078943a6ce708e608990533de7126035f75dec7bacc089cbbc",
            peerY: "c561a3fd99609648f3f295f77f68b090f8cf2865ceaab9c787912a47aa42f2ef",
            secret: "b8c55db077a52102510753d286842472e44025e12ae4876ebb7cfbb39fd807a8"
        ),
        Agreement(
            privateKey: "4cdd2055930d6eaf14f4733f3e7d1bfbc7a2ea20b2f14c942e05319acb5c7427",
            x: "1bb4dea503b8294e4c5ce9360ab8dfb0283a4f00590448785b54236b3c8a939c",
            y: "0e98ab3bb3e218858b9f0ace61fefa417820fe53e12f175a059ecfce4e07765c",
            peerX: "a3ccd4c8485f86888412ade3239fadad6f2812c46ec0128c40e58b9850c3c1e3",
            peerY: "0a408cf79fda14d4e30b7ff13a7e89b278945f19da8220417df4b77a9cce0111",
            secret: "e5e4303041065d5ca8514673080a74a5068b6f54c5ebe399879544e6f23af44f"
        ),
    ]

    @Test("public keys and secrets are what others compute", arguments: agreements)
    func agrees(_ agreement: Agreement) throws {
        let pair = try #require(KeyPair(privateKey: .littleEndian(agreement.privateKey)))
        #expect(pair.publicKey == (try .littleEndian(agreement.x, agreement.y)))
        let peer = try HCI.P256PublicKey.littleEndian(agreement.peerX, agreement.peerY)
        let secret = try #require(pair.secret(with: peer))
        #expect(secret.bytes == (try .littleEndian(agreement.secret)))
    }

    @Test("the debug pair has the public key that the specification prints")
    func debugPair() throws {
        let x = try [UInt8].littleEndian(
            "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
        )
        let y = try [UInt8].littleEndian(
            "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
        )
        let key = try #require(KeyPair.debug).publicKey
        #expect(key.x.bytes == Array(x.reversed()))
        #expect(key.y.bytes == Array(y.reversed()))
    }

    @Test("the specification's two pairs have the secret that it prints")
    func specificationSecret() throws {
        // Vol 2, Part G, 7.1.2.1, most significant octets first.
        let own = try KeyPair.bigEndian(
            "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd"
        )
        let other = try KeyPair.bigEndian(
            "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
        )
        let secret = try [UInt8].littleEndian(
            "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
        )
        #expect(own.secret(with: other.publicKey)?.bytes == secret.reversed())
        #expect(other.secret(with: own.publicKey)?.bytes == secret.reversed())
    }

    /// The order of the curve and its neighbours, most significant octets first.
    @Test(
        "numbers that are no private keys are refused",
        arguments: [
            String(repeating: "00", count: 32),
            String(repeating: "ff", count: 32),
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
            "", "01", String(repeating: "01", count: 33),
        ]
    )
    func refusesPrivateKeys(_ text: String) throws {
        #expect(KeyPair(privateKey: try [UInt8].littleEndian(text).reversed()) == nil)
    }

    @Test("the least and the greatest private key are taken")
    func takesExtremes() throws {
        _ = try KeyPair.bigEndian(String(repeating: "00", count: 31) + "01")
        _ = try KeyPair.bigEndian(
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
        )
    }

    @Test("a public key with any bit of y turned is no point of the curve")
    func refusesPointsOffTheCurve() throws {
        let pair = try #require(KeyPair.debug)
        for bit in 0..<256 {
            var y = pair.publicKey.y.bytes
            y[bit / 8] ^= 1 << (bit % 8)
            let key = HCI.P256PublicKey(
                x: pair.publicKey.x,
                y: try #require(HCI.Coordinate256(y))
            )
            #expect(pair.secret(with: key) == nil)
        }
    }

    @Test("the same dice draw the same pair, and the next draw another")
    func drawsFromDice() throws {
        var dice = WorldSeed(5).stream("test")
        var same = WorldSeed(5).stream("test")
        let first = try #require(KeyPair(using: &dice))
        let again = try #require(KeyPair(using: &same))
        let second = try #require(KeyPair(using: &dice))
        #expect(first.publicKey == again.publicKey)
        #expect(first.publicKey != second.publicKey)
        #expect(first.secret(with: second.publicKey) == second.secret(with: first.publicKey))
    }
}

extension [UInt8] {
    /// The octets as they are written.
    static func littleEndian(_ text: String) throws -> [UInt8] {
        try #require([UInt8](hexadecimal: text))
    }
}

extension HCI.P256PublicKey {
    /// The key of two coordinates, the least significant octet first.
    static func littleEndian(_ x: String, _ y: String) throws -> HCI.P256PublicKey {
        try HCI.P256PublicKey(
            x: #require(HCI.Coordinate256([UInt8].littleEndian(x))),
            y: #require(HCI.Coordinate256([UInt8].littleEndian(y)))
        )
    }
}

extension KeyPair {
    /// The pair of a private key with its most significant octet first.
    static func bigEndian(_ text: String) throws -> KeyPair {
        try #require(KeyPair(privateKey: [UInt8].littleEndian(text).reversed()))
    }
}
