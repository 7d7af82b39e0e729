// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothTypes
import Testing

@Suite("AES-128")
struct AES128Tests {
    /// The first block of the message of RFC 4493, 4.
    static let message: [UInt8] = [
        0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93, 0x17,
        0x2A,
    ]
    /// The key of RFC 4493, 4.
    static let key: [UInt8] = [
        0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F,
        0x3C,
    ]

    @Test("A block is encrypted as in FIPS 197")
    func block() {
        let key = [UInt8](0...15)
        let block = (0..<16).map { UInt8($0 * 0x11) }
        let expected: [UInt8] = [
            0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4,
            0xC5, 0x5A,
        ]
        #expect(AES128(key: key)?.encrypt(block) == expected)
    }

    @Test("Messages are authenticated as in RFC 4493")
    func code() {
        let ofEmpty: [UInt8] = [
            0xBB, 0x1D, 0x69, 0x29, 0xE9, 0x59, 0x37, 0x28, 0x7F, 0xA3, 0x7D, 0x12, 0x9B, 0x75,
            0x67, 0x46,
        ]
        let ofBlock: [UInt8] = [
            0x07, 0x0A, 0x16, 0xB4, 0x6B, 0x4D, 0x41, 0x44, 0xF7, 0x9B, 0xDD, 0x9D, 0xD0, 0x4A,
            0x28, 0x7C,
        ]
        #expect(AES128(key: Self.key)?.authenticationCode(of: []) == ofEmpty)
        #expect(AES128(key: Self.key)?.authenticationCode(of: Self.message) == ofBlock)
    }

    /// RFC 4493, 4, examples 3 and 4; Vol 3, Part H, D.1.3 and D.1.4.
    @Test(
        "Messages longer than a block are authenticated as in RFC 4493",
        arguments: [
            (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
        ]
    )
    func longCode(length: Int, expected: String) throws {
        let message = try #require(
            Array(
                hexadecimal: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
            )
        )
        let code = AES128(key: Self.key)?.authenticationCode(of: message.prefix(length))
        #expect(code?.hexadecimal == expected)
    }

    @Test("A key or block of another length is refused")
    func lengths() {
        #expect(AES128(key: [1, 2, 3]) == nil)
        #expect(AES128(key: Self.key)?.encrypt([1, 2, 3]) == nil)
    }
}
