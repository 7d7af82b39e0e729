// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite struct CBCSealingTests {
    /// The plaintext and IV of NIST SP 800-38A, F.2, for all three key sizes.
    private static let plaintext = Data(
        hex: """
            6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
            """
    )
    private static let iv = Data(hex: "000102030405060708090a0b0c0d0e0f")

    @Test(
        "The vectors of NIST hold for keys of all sizes",
        arguments: [
            (
                "2b7e151628aed2a6abf7158809cf4f3c",
                """
                7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
                73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7
                """
            ),
            (
                "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
                """
                4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a
                571b242012fb7ae07fa9baac3df102e0 08b0e27988598881d920a9e64f5615cd
                """
            ),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                """
                f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
                39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b
                """
            ),
        ]
    )
    func agreesWithNIST(key: String, ciphertext: String) throws {
        let sealing = CBCSealing(key: try SealingKey(Data(hex: key)))
        let sealed = try sealing.seal(Self.plaintext, iv: Self.iv)
        // The vectors have no padding; this implementation appends a block of it.
        #expect(sealed.prefix(16) == Self.iv)
        #expect(sealed.dropFirst(16).prefix(64) == Data(hex: ciphertext))
        #expect(sealed.count == 96)
        #expect(try sealing.open(sealed) == Self.plaintext)
    }

    @Test(
        "Sealed data of every length opens",
        arguments: SealingKey.Size.allCases,
        RunSeed.seeds(1)
    )
    func opensWhatItSealed(size: SealingKey.Size, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sealing = CBCSealing(key: SealingKey(random: size))
        for length in Array(0...65) + [1_000, 65_536] {
            let data = Data(generator.bytes(length))
            let sealed = try sealing.seal(data)
            #expect(sealed.count == 16 + (length / 16 + 1) * 16)
            #expect(sealed.count - length <= sealing.overhead)
            #expect(try sealing.open(sealed) == data)
        }
    }

    @Test("A slice of data opens, whatever its first index")
    func opensSlices() throws {
        let sealing = CBCSealing(key: SealingKey(random: .bits128))
        let framed = Data([2]) + (try sealing.seal(Data("hello".utf8))) + Data([3])
        let opened = try sealing.open(framed.dropFirst().dropLast())
        #expect(opened == Data("hello".utf8))
        #expect(opened.startIndex == 0)
    }

    @Test("Sealing the same data again uses a new IV")
    func drawsFreshVectors() throws {
        let sealing = CBCSealing(key: SealingKey(random: .bits256))
        var seen: Set<Data> = []
        for _ in 0..<20_000 { seen.insert(try sealing.seal(Data("same".utf8)).prefix(16)) }
        #expect(seen.count == 20_000)
    }

    @Test("Data of a wrong length is refused")
    func refusesOtherLengths() throws {
        let sealing = CBCSealing(key: SealingKey(random: .bits256))
        let sealed = try sealing.seal(Data(count: 40))
        for length in 0..<sealed.count where length < 32 || !length.isMultiple(of: 16) {
            #expect(throws: SealingError.refused) { try sealing.open(sealed.prefix(length)) }
        }
        #expect(throws: SealingError.refused) { try sealing.open(sealed + [0]) }
    }

    @Test("Padding with an invalid last byte is refused")
    func refusesWrongPadding() throws {
        // In CBC, a changed bit of the IV changes the same bit of the first block of plaintext,
        // which contains the padding here.
        let sealing = CBCSealing(key: SealingKey(random: .bits128))
        let sealed = try sealing.seal(Data(count: 8))
        var accepted: [UInt8] = []
        for last in UInt8.min...UInt8.max {
            var changed = sealed
            changed[15] ^= 8 ^ last
            if (try? sealing.open(changed)) != nil { accepted.append(last) }
            #expect(last != 0 || (try? sealing.open(changed)) == nil)
        }
        // The padding is eight bytes of 8. A last byte of 8 or of 1 is valid padding, and no other
        // is.
        #expect(accepted == [1, 8])
    }

    @Test(
        "CBC alone does not detect a changed message, as its documentation states"
    )
    func isMalleable() throws {
        let sealing = CBCSealing(key: SealingKey(random: .bits256))
        var sealed = try sealing.seal(Data("pay 0001".utf8))
        sealed[4] ^= UInt8(ascii: "0") ^ UInt8(ascii: "9")
        #expect(try sealing.open(sealed) == Data("pay 9001".utf8))
    }

    @Test("Data with an altered bit is refused or opens as different data")
    func noticesOrGarbles() throws {
        let data = Data("a message of some length, in three blocks".utf8)
        let sealing = CBCSealing(key: SealingKey(random: .bits192))
        let sealed = try sealing.seal(data)
        for bit in 0..<sealed.count * 8 {
            let opened = try? sealing.open(sealed.turning(bit: bit))
            #expect(opened != data, "bit \(bit)")
        }
    }

    @Test("Another key does not restore the data")
    func refusesOtherKeys() throws {
        let sealed = try CBCSealing(key: SealingKey(random: .bits256)).seal(Data("secret".utf8))
        for size in SealingKey.Size.allCases {
            let opened = try? CBCSealing(key: SealingKey(random: size)).open(sealed)
            #expect(opened != Data("secret".utf8))
        }
    }
}
