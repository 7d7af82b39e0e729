// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothCrypto

@Suite("P-256 key pairs")
struct P256KeyPairTests {
    @Test(
        "Public keys and shared secrets match the sample data of the specification",
        arguments: Sample.all
    )
    func samples(_ sample: Sample) throws {
        let one = try #require(P256KeyPair(privateKey: sample.privateA.bytes))
        let other = try #require(P256KeyPair(privateKey: sample.privateB.bytes))
        #expect(one.publicKey == P256PublicKey(sample.publicA))
        #expect(other.publicKey == P256PublicKey(sample.publicB))
        #expect(one.sharedSecret(with: other.publicKey)?.hexadecimal == sample.secret)
        #expect(other.sharedSecret(with: one.publicKey)?.hexadecimal == sample.secret)
    }

    @Test("The debug key pair is the one that the specification publishes")
    func debug() {
        #expect(P256KeyPair.debug?.publicKey == P256PublicKey(Sample.all[0].publicA))
        #expect(P256KeyPair.debug?.privateKey == Sample.all[0].privateA.bytes)
    }

    @Test(
        "Generated pairs are valid, differ, and are determined by the generator",
        arguments: RunSeed.seeds(20)
    )
    func draws(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let one = try #require(P256KeyPair(using: &generator))
        let other = try #require(P256KeyPair(using: &generator))
        #expect(one.publicKey.isValid)
        #expect(one.publicKey.x != other.publicKey.x)
        let secret = one.sharedSecret(with: other.publicKey)
        #expect(secret?.count == P256KeyPair.length)
        #expect(secret == other.sharedSecret(with: one.publicKey))
        var same = SplitMix64(seed: seed)
        #expect(P256KeyPair(using: &same)?.privateKey == one.privateKey)
    }

    @Test("A private key is at least one and below the order of the curve")
    func range() {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        let last = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
        #expect(P256KeyPair(privateKey: order.bytes) == nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 0xFF, count: 32)) == nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 0x00, count: 32)) == nil)
        #expect(P256KeyPair(privateKey: last.bytes) != nil)
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 0, count: 31) + [1]) != nil)
    }

    @Test("A private key of another length is refused", arguments: [0, 1, 31, 33, 64, 65])
    func length(count: Int) {
        #expect(P256KeyPair(privateKey: [UInt8](repeating: 0x11, count: count)) == nil)
    }

    @Test("An invalid private key is drawn again")
    func drawsAgain() throws {
        // Four words form a number: twice a number that is too great, then zero, then 1.
        let tooGreat = [UInt64](repeating: .max, count: 4)
        let one = [0, 0, 0, UInt64(1) << 56]
        var generator = ListedNumbers(tooGreat + tooGreat + [0, 0, 0, 0] + one)
        let pair = try #require(P256KeyPair(using: &generator))
        #expect(pair.privateKey == [UInt8](repeating: 0, count: 31) + [1])
        #expect(generator.count == 16)
    }

    @Test("No key pair is made if the generator yields only invalid keys")
    func stuck() {
        var generator = ListedNumbers([])
        #expect(P256KeyPair(using: &generator) == nil)
        #expect(generator.count == 4 * P256KeyPair.drawLimit)
    }
}

/// A generator that returns the listed numbers and then only zeros.
private struct ListedNumbers: RandomNumberGenerator {
    private var numbers: ArraySlice<UInt64>
    /// The number of values that were requested.
    private(set) var count = 0

    init(_ numbers: [UInt64]) { self.numbers = numbers[...] }

    mutating func next() -> UInt64 {
        count += 1
        return numbers.popFirst() ?? 0
    }
}

/// The sample data of Vol 2, Part G, 7.1.2.
struct Sample: Sendable {
    var privateA: String
    var privateB: String
    var publicA: (x: String, y: String)
    var publicB: (x: String, y: String)
    var secret: String

    static let all = [
        Sample(
            privateA: "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            privateB: "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            publicA: (
                "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6",
                "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
            ),
            publicB: (
                "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190",
                "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"
            ),
            secret: "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
        ),
        Sample(
            privateA: "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663",
            privateB: "529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba",
            publicA: (
                "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd",
                "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f"
            ),
            publicB: (
                "f465e43ff23d3f1b9dc7dfc04da8758184dbc966204796eccf0d6cf5e16500cc",
                "0201d048bcbbd899eeefc424164e33c201c2b010ca6b4d43a8a155cad8ecb279"
            ),
            secret: "ab85843a2f6d883f62e5684b38e307335fe6e1945ecd19604105c6f23221eb69"
        ),
    ]
}

extension P256PublicKey {
    init(_ texts: (x: String, y: String)) {
        self.init(x: texts.x.bytes, y: texts.y.bytes)
    }
}

extension String {
    /// The bytes of the hexadecimal digits, or no bytes if the digits are invalid.
    var bytes: [UInt8] { Array(hexadecimal: self) ?? [] }
}
