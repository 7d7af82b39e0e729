// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Test vectors of other implementations, the least significant byte first.
@Suite struct BlockCipherTests {
    struct Block: Sendable {
        let key, plaintext, ciphertext: String
    }

    /// FIPS 197, appendix C.1, reversed, and then blocks that Bumble has encrypted.
    static let blocks = [
        Block(
            key: "0f0e0d0c0b0a09080706050403020100",
            plaintext: "ffeeddccbbaa99887766554433221100",
            ciphertext: "5ac5b47080b7cdd830047b6ad8e0c469"
        ),
        Block(
            key: "00000000000000000000000000000000",
            plaintext: "00000000000000000000000000000000",
            ciphertext: "2e2b34ca59fa4c883b2c8aefd44be966"
        ),
        Block(
            key: "000102030405060708090a0b0c0d0e0f",
            plaintext: "101112131415161718191a1b1c1d1e1f",
            ciphertext: "61b04d2d3166e91a0e6c16cae8bbc0f6"
        ),
        Block(
            key: "38b4e652e44da7f2370d9e260e271365",
            plaintext: "50a4a3a6d07f5c0c332f8b1224083fd2",
            ciphertext: "27a1f415ab03d197ccd5315aaf007f06"
        ),
        Block(
            key: "2b902f8911e81818f8c99d5d5d983195",
            plaintext: "7504d90e945de2e8f54ee781cc75f636",
            ciphertext: "8c1326f3e194b278dbb1d6d3b5edf157"
        ),
        Block(
            key: "264aad6cb6dd210faf94acd3cf92c190",
            plaintext: "237cb11f5d108cf25930263938b370a1",
            ciphertext: "72ac82015b02afcebb390b86fe8ef42c"
        ),
    ]

    @Test("A block is encrypted as other implementations encrypt it", arguments: blocks)
    func encrypts(_ block: Block) throws {
        let cipher = BlockCipher(try key(block.key))
        let ciphertext = cipher.encrypt(try self.block(block.plaintext))
        #expect(ciphertext == (try self.block(block.ciphertext)))
    }

    @Test("LE Encrypt uses blocks with the least significant byte first", arguments: blocks)
    func answersEncrypt(_ block: Block) throws {
        let host = try TestHost(World(seed: 1))
        let answer = try host.perform(
            HCI.LEEncrypt(key: key(block.key), plaintext: self.block(block.plaintext))
        )
        #expect(answer.ciphertext == (try self.block(block.ciphertext)))
    }

    @Test("The hash of the specification's sample is correct")
    func hashesSample() throws {
        // Vol 3, Part H, D.7: the key is written with its most significant byte first.
        let irk = try bytes("ec0234a357c8ad05341010a60a397d9b")
        let cipher = BlockCipher(try #require(HCI.Key128(irk.reversed())))
        #expect(cipher.addressHash(0x708194) == 0x0DFBAA)
    }

    /// Addresses that Bumble has made with the keys.
    static let addresses = [
        ("b5769fa0f1483f95a90d9df2f130d60f", "53BD04783F79"),
        ("f50ae69514da8c659ce2b10cccdaebf9", "7898D1909EA4"),
        ("b0d7ec0b3e97818ecb96c4dbadbe1722", "4A23D53233FC"),
        ("42b24c6ba4e6ed24ec636a8ac0a1271e", "52276677009C"),
    ]

    @Test("An address is resolved by its key and not by the other keys", arguments: addresses)
    func resolves(_ key: String, _ address: String) throws {
        let address = DeviceAddress(value: try #require(UInt64(address, radix: 16)), kind: .random)
        for (other, _) in Self.addresses {
            let resolves = IdentityResolvingKey(try self.key(other)).resolves(address)
            #expect(resolves == (other == key))
        }
    }

    @Test("An address with any inverted bit is not resolved")
    func resolvesNothingElse() throws {
        let key = IdentityResolvingKey(try key(Self.addresses[0].0))
        let value = try #require(UInt64(Self.addresses[0].1, radix: 16))
        for bit in 0..<48 {
            #expect(!key.resolves(DeviceAddress(value: value ^ 1 << bit, kind: .random)))
        }
        #expect(!key.resolves(DeviceAddress(value: value, kind: .public)))
    }

    @Test("Generated addresses are private, differ, and can be resolved")
    func makesAddresses() throws {
        var generator = WorldSeed(3).stream("test")
        let key = IdentityResolvingKey(try key(Self.addresses[1].0))
        var seen: Set<DeviceAddress> = []
        for _ in 0..<500 {
            let address = try #require(key.makeAddress(using: &generator))
            #expect(address.randomKind == .resolvablePrivate)
            #expect(key.resolves(address))
            #expect(seen.insert(address).inserted)
        }
    }

    @Test("The zero key generates and resolves nothing")
    func zeroKeyIsNone() throws {
        var generator = WorldSeed(3).stream("test")
        let key = IdentityResolvingKey(try key(String(repeating: "00", count: 16)))
        #expect(key.isZero)
        #expect(key.makeAddress(using: &generator) == nil)
        // The hash of random part 0x400000 under the zero key would fit this address.
        let hash = try #require(BlockCipher(key.key).addressHash(0x400000))
        let address = DeviceAddress(value: 0x400000 << 24 | UInt64(hash), kind: .random)
        #expect(!key.resolves(address))
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        try #require([UInt8](hexadecimal: text))
    }

    private func key(_ text: String) throws -> HCI.Key128 {
        try #require(HCI.Key128(bytes(text)))
    }

    private func block(_ text: String) throws -> HCI.Block128 {
        try #require(HCI.Block128(bytes(text)))
    }
}
