// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Crypto
import LanyardTestSupport
import Testing

@testable import BluetoothCrypto

@Suite("AES-CBC")
struct AESCBCTests {
    private let key = SymmetricKey(data: AES128Tests.key)
    private let iv = [UInt8](0...15)

    /// NIST SP 800-38A, F.2.1.
    @Test("A block is encrypted as in NIST SP 800-38A, and its padding follows")
    func vector() {
        let sealed = AESCBC.encrypt(AES128Tests.message, key: key, iv: iv)
        #expect(sealed?.count == 32)
        #expect(sealed?.prefix(16).hexadecimal == "7649abac8119b246cee98e9b12e9197d")
    }

    @Test("A message of 0 to 49 bytes survives a round trip", arguments: 0..<50)
    func roundTrip(length: Int) throws {
        var random = SplitMix64(seed: UInt64(length))
        let message = random.bytes(length)
        let sealed = try #require(AESCBC.encrypt(message, key: key, iv: iv))
        #expect(sealed.count == (length / 16 + 1) * 16)
        #expect(AESCBC.decrypt(sealed, key: key, iv: iv) == message)
    }

    @Test("Wrong padding is refused, and correct padding of 1 to 16 bytes is removed")
    func padding() {
        let block = [UInt8](repeating: 0x55, count: 16)
        for length in 0...255 {
            let count = min(length, 16)
            let right = block.dropLast(count) + [UInt8](repeating: UInt8(length), count: count)
            let isValid = (1...16).contains(length)
            let padded = Array(block + (length == 0 ? block.dropLast() + [0] : right))
            #expect(
                AESCBC.withoutPadding(padded) == (isValid ? Array(padded.dropLast(length)) : nil)
            )
            guard isValid else { continue }
            for place in 2..<(length + 1) {
                var wrong = padded
                wrong[wrong.count - place] ^= 1
                #expect(AESCBC.withoutPadding(wrong) == nil)
            }
        }
    }

    @Test("Invalid lengths are refused")
    func lengths() {
        #expect(AESCBC.encrypt([1], key: key, iv: []) == nil)
        #expect(AESCBC.decrypt([], key: key, iv: iv) == nil)
        #expect(AESCBC.decrypt([UInt8](repeating: 0, count: 15), key: key, iv: iv) == nil)
        #expect(AESCBC.decrypt([UInt8](repeating: 0, count: 16), key: key, iv: [1]) == nil)
        #expect(AESCBC.withoutPadding([]) == nil)
        #expect(AESCBC.withoutPadding([1]) == nil)
    }
}

@Suite("CMAC with any block encryption")
struct CMACTests {
    /// Only Apple's platforms use CMAC.swift. On Linux, this test compares its result with the CMAC
    /// of the cryptographic library, which also encrypts the blocks.
    @Test("The MAC equals the MAC of the cryptographic library", arguments: 0..<70)
    func codes(length: Int) throws {
        var random = SplitMix64(seed: UInt64(length))
        let cipher = try #require(AES128(key: random.bytes(16)))
        let message = random.bytes(length)
        let code = CMAC.code(of: message) { cipher.encrypt($0) }
        #expect(code == cipher.authenticationCode(of: message))
        #expect(code?.count == 16)
    }

    @Test("If the encryption of a block fails, there is no MAC")
    func failure() {
        #expect(CMAC.code(of: [1]) { _ in nil } == nil)
        var count = 0
        let code = CMAC.code(of: [1]) { block in
            count += 1
            return count == 1 ? block : nil
        }
        #expect(code == nil)
    }
}
