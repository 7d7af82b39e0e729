// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite struct GCMSealingTests {
    private static let nonce = Data(hex: "cafebabefacedbaddecaf888")
    private static let plaintext = Data(
        hex: """
            d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
            1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b391aafd255
            """
    )
    private static let context = Data(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private static let keys = [
        "feffe9928665731c6d6a8f9467308308",
        "feffe9928665731c6d6a8f9467308308feffe9928665731c",
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
    ]

    @Test(
        "The vectors of the GCM specification hold for keys of all sizes",
        arguments: zip(
            keys,
            [
                (
                    "42831ec2217774244b7221b784d0d49c", "4d5c2af327cd64a62cf35abd2ba6fab4",
                    "5bc94fbc3221a5db94fae95ae7121a47"
                ),
                (
                    "3980ca0b3c00e841eb06fac4872a2757", "9924a7c8587336bfb118024db8674a14",
                    "2519498e80f1478f37ba55bd6d27618c"
                ),
                (
                    "522dc1f099567d07f47f37a32a84427d", "b094dac5d93471bdec1a502270e3cc6c",
                    "76fc6ece0f4e1768cddf8853bb2d551b"
                ),
            ]
        )
    )
    func agreesWithTheSpecification(
        key: String,
        expected: (firstBlock: String, tag: String, tagWithContext: String)
    ) throws {
        let sealing = GCMSealing(key: try SealingKey(Data(hex: key)))
        let plain = try sealing.seal(Self.plaintext, authenticating: Data(), nonce: Self.nonce)
        #expect(plain.prefix(12) == Self.nonce)
        #expect(plain.dropFirst(12).prefix(16) == Data(hex: expected.firstBlock))
        #expect(plain.suffix(16) == Data(hex: expected.tag))
        #expect(try sealing.open(plain) == Self.plaintext)

        let shorter = Self.plaintext.dropLast(4)
        let sealed = try sealing.seal(shorter, authenticating: Self.context, nonce: Self.nonce)
        #expect(sealed.dropFirst(12).prefix(16) == Data(hex: expected.firstBlock))
        #expect(sealed.suffix(16) == Data(hex: expected.tagWithContext))
        #expect(try sealing.open(sealed, authenticating: Self.context) == shorter)
    }

    @Test(
        "Empty data and a block of zeros give the values of the specification",
        arguments: [
            (16, "58e2fccefa7e3061367f1d57a4e7455a", "0388dace60b6a392f328c2b971b2fe78"),
            (24, "cd33b28ac773f74ba00ed1f312572435", "98e7247c07f0fe411c267e4384b0f600"),
            (32, "530f8afbc74536b9a963b4f1c4cb738b", "cea7403d4d606b6e074ec5d3baf39d18"),
        ]
    )
    func sealsZeros(keyLength: Int, tag: String, block: String) throws {
        let sealing = GCMSealing(key: try SealingKey(Data(count: keyLength)))
        let nothing = try sealing.seal(Data(), authenticating: Data(), nonce: Data(count: 12))
        #expect(nothing.dropFirst(12) == Data(hex: tag))
        let zeros = try sealing.seal(
            Data(count: 16),
            authenticating: Data(),
            nonce: Data(count: 12)
        )
        #expect(zeros.dropFirst(12).prefix(16) == Data(hex: block))
    }

    @Test(
        "Sealed data of every length opens",
        arguments: SealingKey.Size.allCases,
        RunSeed.seeds(1)
    )
    func opensWhatItSealed(size: SealingKey.Size, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sealing = GCMSealing(key: SealingKey(random: size))
        for length in Array(0...65) + [1_000, 65_536] {
            let data = Data(generator.bytes(length))
            let sealed = try sealing.seal(data)
            #expect(sealed.count == length + sealing.overhead)
            #expect(try sealing.open(sealed) == data)
            #expect(try sealing.open((Data([1]) + sealed).dropFirst()) == data)
        }
    }

    @Test("Every altered bit and every truncation is refused", arguments: SealingKey.Size.allCases)
    func refusesChanges(size: SealingKey.Size) throws {
        let sealing = GCMSealing(key: SealingKey(random: size))
        let sealed = try sealing.seal(Data("one message".utf8))
        for bit in 0..<sealed.count * 8 {
            #expect(throws: SealingError.refused) { try sealing.open(sealed.turning(bit: bit)) }
        }
        for length in 0..<sealed.count {
            #expect(throws: SealingError.refused) { try sealing.open(sealed.prefix(length)) }
        }
        #expect(throws: SealingError.refused) { try sealing.open(sealed + [0]) }
    }

    @Test("Another key and another context are refused")
    func refusesOthers() throws {
        let sealing = GCMSealing(key: SealingKey(random: .bits256))
        let sealed = try sealing.seal(Data("message".utf8), authenticating: Data("door 7".utf8))
        for other in [Data(), Data("door 8".utf8)] {
            #expect(throws: SealingError.refused) {
                try sealing.open(sealed, authenticating: other)
            }
        }
        for size in SealingKey.Size.allCases {
            #expect(throws: SealingError.refused) {
                try GCMSealing(key: SealingKey(random: size))
                    .open(sealed, authenticating: Data("door 7".utf8))
            }
        }
    }

    @Test("The nonces of 20,000 seals differ")
    func drawsFreshNonces() throws {
        let sealing = GCMSealing(key: SealingKey(random: .bits128))
        var seen: Set<Data> = []
        for _ in 0..<20_000 { seen.insert(try sealing.seal(Data()).prefix(12)) }
        #expect(seen.count == 20_000)
    }

    @Test("Without a session, messages are sealed and opened at once, without a greeting")
    func sealsWithoutSessions() throws {
        let dataSealing = GCMSealing(key: SealingKey(random: .bits128))
        let sealing = SessionlessSealing(dataSealing)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        #expect(central.greeting == nil && central.isReady && peripheral.isReady)
        let sealed = try central.seal(Data("on".utf8))
        #expect(sealed.count == 2 + dataSealing.overhead)
        #expect(try peripheral.open(sealed) == .message(Data("on".utf8)))
        // Without a session there is no counter, so a repeated message opens again.
        #expect(try peripheral.open(sealed) == .message(Data("on".utf8)))
    }
}
