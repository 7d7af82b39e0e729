// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothTypes
import LanyardTestSupport
import Testing

@Suite("AES-CCM")
struct AESCCMTests {
    /// The session key of the sample data of Vol 6, Part C, 1.
    static let sessionKey = "99ad1b5226a37e3e058e3b8e27c2c666"
    /// The initialization vector of the sample data, in its encoded order.
    static let vector = "24abdcbabebaafde"
    /// The packets of the sample data as transmitted. The header and the length are first.
    static let samples: [(counter: UInt8, isFromCentral: Bool, packet: String, text: String)] = [
        (0, true, "0f059fcda7f448", "06"),
        (0, false, "0705a34c13a415", "06"),
        (
            1, true, "0e1f7a70d66415226df26b17839a060405596bd6564f796b5b9ce6ff32f75a6d33",
            "1700636465666768696a6b6c6d6e6f707131323334353637383930"
        ),
        (
            1, false, "061ff38881e7bd94c9c369b9a66846dd4786aa8c39ce540d0dae3adcdf89b96088",
            "170037363534333231304142434445464748494a4b4c4d4e4f5051"
        ),
    ]

    private func nonce(_ counter: UInt8, _ isFromCentral: Bool) -> [UInt8] {
        [counter, 0, 0, 0, isFromCentral ? 0x80 : 0] + Self.vector.bytes
    }

    @Test("The session key follows from the key diversifiers of both sides (Vol 6, Part C, 1)")
    func sessionKey() {
        let key = AES128(key: "4c68384139f574d836bcf34e9dfb01bf".bytes)
        let made = key?.encrypt("0213243546576879acbdcedfe0f10213".bytes)
        #expect(made?.hexadecimal == Self.sessionKey)
    }

    @Test(
        "The sample packets of the specification are decrypted and encrypted again",
        arguments: 0..<4
    )
    func sample(place: Int) throws {
        let sample = Self.samples[place]
        let cipher = try #require(AESCCM(key: Self.sessionKey.bytes))
        let packet = sample.packet.bytes
        let nonce = nonce(sample.counter, sample.isFromCentral)
        let context = [packet[0] & 0xE3]
        let text = cipher.open(packet.dropFirst(2), nonce: nonce, context: context)
        #expect(text?.hexadecimal == sample.text)
        let sealed = cipher.seal(sample.text.bytes, nonce: nonce, context: context)
        #expect(sealed == Array(packet.dropFirst(2)))
    }

    @Test("A packet with any flipped bit is not opened")
    func turned() throws {
        let cipher = try #require(AESCCM(key: Self.sessionKey.bytes))
        let packet = Self.samples[2].packet.bytes
        let nonce = nonce(1, true)
        for bit in 16..<packet.count * 8 {
            var packet = packet
            packet[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(packet[2...], nonce: nonce, context: [0x02]) == nil, "bit \(bit)")
        }
        #expect(cipher.open(packet[2...], nonce: nonce, context: [0x03]) == nil)
        #expect(cipher.open(packet[2...], nonce: self.nonce(1, false), context: [0x02]) == nil)
        #expect(cipher.open(packet[2...], nonce: self.nonce(2, true), context: [0x02]) == nil)
    }

    @Test("A sealed message of 0 to 64 bytes is opened", arguments: 0...64)
    func roundTrip(length: Int) throws {
        var generator = SplitMix64(seed: UInt64(length))
        let cipher = try #require(AESCCM(key: generator.bytes(16)))
        let message = generator.bytes(length)
        let nonce = generator.bytes(13)
        for context in [[], [0x02], generator.bytes(20)] {
            let sealed = try #require(cipher.seal(message, nonce: nonce, context: context))
            #expect(sealed.count == length + AESCCM.codeLength)
            #expect(cipher.open(sealed, nonce: nonce, context: context) == message)
        }
    }

    @Test("Invalid lengths are refused")
    func lengths() throws {
        #expect(AESCCM(key: [1, 2, 3]) == nil)
        let cipher = try #require(AESCCM(key: Self.sessionKey.bytes))
        #expect(cipher.seal([1], nonce: [1, 2, 3], context: []) == nil)
        #expect(
            cipher.open([1, 2, 3], nonce: [UInt8](repeating: 0, count: 13), context: []) == nil
        )
        let long = [UInt8](repeating: 0, count: 65_536)
        #expect(cipher.seal(long, nonce: [UInt8](repeating: 0, count: 13), context: []) == nil)
    }
}
