// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothCrypto

/// Invalid public keys must be refused, because attacks such as CVE-2018-5383 use them to obtain
/// the shared secret or the private key. The test values were computed from the parameters of the
/// curve (FIPS 186-4, D.1.2.3).
@Suite("P-256 public keys")
struct P256PublicKeyTests {
    @Test(
        "A key that is not on the curve, or whose x is zero, is refused and gives no secret",
        arguments: Bad.all
    )
    func refuses(_ bad: Bad) throws {
        let key = P256PublicKey((bad.x, bad.y))
        #expect(!key.isValid, "\(bad)")
        let pair = try #require(P256KeyPair.debug)
        #expect(pair.sharedSecret(with: key) == nil)
    }

    @Test("An unusual point of the curve is accepted", arguments: Good.all)
    func accepts(_ good: Good) throws {
        let key = P256PublicKey((good.x, good.y))
        #expect(key.isValid, "\(good)")
        let pair = try #require(P256KeyPair.debug)
        #expect(pair.sharedSecret(with: key)?.count == P256KeyPair.length)
    }

    @Test("Coordinates of another length are refused", arguments: [0, 1, 31, 33, 64])
    func refusesLengths(count: Int) {
        let bytes = [UInt8](repeating: 0x11, count: count)
        let whole = Good.generator
        #expect(!P256PublicKey(x: bytes, y: whole.y.bytes).isValid)
        #expect(!P256PublicKey(x: whole.x.bytes, y: bytes).isValid)
        // The total length is the length of a key, but the lengths of the coordinates are invalid.
        #expect(!P256PublicKey(x: bytes, y: [UInt8](repeating: 0, count: 64 - count)).isValid)
    }

    @Test("A key with any flipped bit is refused")
    func refusesEveryTurnedBit() throws {
        let whole = P256PublicKey(Sample.all[0].publicB)
        for bit in 0..<512 {
            var key = whole
            if bit < 256 {
                key.x[bit / 8] ^= 1 << UInt8(bit % 8)
            } else {
                key.y[bit / 8 - 32] ^= 1 << UInt8(bit % 8)
            }
            // A flipped bit of x may give another point by chance, but not with this y.
            #expect(!key.isValid, "bit \(bit)")
        }
    }

    @Test("Random coordinates are refused and never trap", arguments: RunSeed.seeds(1))
    func refusesNoise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let key = P256PublicKey(x: generator.bytes(32), y: generator.bytes(32))
            #expect(!key.isValid)
        }
    }

    @Test("A key and its negation give the same secret, so only x distinguishes keys")
    func negation() throws {
        let pair = try #require(P256KeyPair(privateKey: Sample.all[0].privateB.bytes))
        let plain = P256PublicKey((Good.generator.x, Good.generator.y))
        let negated = P256PublicKey((Good.negated.x, Good.negated.y))
        #expect(plain.isValid && negated.isValid)
        #expect(pair.sharedSecret(with: plain) == pair.sharedSecret(with: negated))
    }
}

/// A point of the curve.
struct Good: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var x: String
    var y: String

    static let generator = Good(
        testDescription: "the generator",
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    static let negated = Good(
        testDescription: "the generator, negated",
        x: generator.x,
        y: "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"
    )
    static let all = [
        generator, negated,
        Good(
            testDescription: "the smallest x except zero",
            x: "0000000000000000000000000000000000000000000000000000000000000005",
            y: "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"
        ),
        Good(
            testDescription: "y is one",
            x: "6916fac45e568b6b9e2e2ecd611b282e5fcc40a3067d601057f879ce5a8a73cc",
            y: "0000000000000000000000000000000000000000000000000000000000000001"
        ),
    ]
}

/// Coordinates that are not a point of the curve, or a point with an x of zero, which a random key
/// pair practically never has.
struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var x: String
    var y: String

    static let zeros = String(repeating: "0", count: 64)
    static let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    static let primeAndOne = "ffffffff00000001000000000000000000000001000000000000000000000000"
    static let ones = String(repeating: "f", count: 64)

    static let all = [
        Bad(testDescription: "zero and zero, an encoding of infinity", x: zeros, y: zeros),
        Bad(testDescription: "x is zero, y is beyond the field", x: zeros, y: ones),
        Bad(testDescription: "y is zero", x: Good.generator.x, y: zeros),
        Bad(testDescription: "y is that of another point", x: Good.generator.x, y: Good.all[2].y),
        Bad(
            testDescription: "coordinates in the wrong order",
            x: Good.generator.y,
            y: Good.generator.x
        ),
        Bad(testDescription: "both are all ones", x: ones, y: ones),
        Bad(
            testDescription: "both are the prime, which is zero modulo the prime",
            x: prime,
            y: prime
        ),
        Bad(testDescription: "x is the prime", x: prime, y: Good.generator.y),
        Bad(testDescription: "y is the prime", x: Good.generator.x, y: prime),
        Bad(
            testDescription: "x is five plus the prime: a point after reduction",
            x: "ffffffff00000001000000000000000000000001000000000000000000000004",
            y: Good.all[2].y
        ),
        Bad(
            testDescription: "y is one plus the prime: a point after reduction",
            x: Good.all[3].x,
            y: primeAndOne
        ),
        Bad(
            testDescription: "x is one: on the twist only",
            x: "0000000000000000000000000000000000000000000000000000000000000001",
            y: "de17b2671045fe58740248c17a8bd2fb2ef7c3c49b01da9f903efa3dcda669c7"
        ),
        Bad(
            testDescription: "x is two: on the twist only",
            x: "0000000000000000000000000000000000000000000000000000000000000002",
            y: "e1c326485e55a67e45dd8348b4c99e8ca0a77d9150889f19a2d39dbc8c3d7cfa"
        ),
        Bad(
            testDescription: "x is seven: on the twist only",
            x: "0000000000000000000000000000000000000000000000000000000000000007",
            y: "c4ea7e39099dc80948a04ac8514d08646492f3e226de9f227b8c5ef94a461f44"
        ),
        Bad(
            testDescription: "x is zero, with the first matching y",
            x: zeros,
            y: "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"
        ),
        Bad(
            testDescription: "x is zero, with the second matching y",
            x: zeros,
            y: "99b7a386f1d07c29dbcc42a27b5f9449abe3d50de25178e8d7407a95e8b06c0b"
        ),
        // This key was used to attack early implementations. Their confirmation did not include y.
        Bad(
            testDescription: "the debug key with y of zero",
            x: Sample.all[0].publicA.x,
            y: zeros
        ),
    ]
}
