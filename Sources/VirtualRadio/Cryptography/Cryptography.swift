// SPDX-License-Identifier: Apache-2.0
import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

/// The cryptographic functions of a controller: AES blocks, hashes of addresses, and keys on the
/// curve P-256.
///
/// HCI is little-endian: keys, blocks and coordinates begin with the least significant byte. The
/// algorithms are defined in big-endian order, so the functions here reverse them (Vol 3, Part H,
/// 2.2).
package enum Cryptography {
    /// The handlers of LE Encrypt, LE Rand, LE Read Local P-256 Public Key and LE Generate DHKey
    /// (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36, 7.8.37).
    static let handlers: [CommandHandler] = [encrypt, random] + KeyAgreement.handlers

    private static let encrypt = CommandHandler.completing(HCI.LEEncrypt.self) {
        (_, command, _) throws(HCI.ErrorCode) -> HCI.LEEncrypt.ReturnParameters in
        guard let ciphertext = BlockCipher(command.key).encrypt(command.plaintext) else {
            throw .hardwareFailure
        }
        return HCI.LEEncrypt.ReturnParameters(ciphertext: ciphertext)
    }

    private static let random = CommandHandler.completing(HCI.LERand.self) {
        (controller, _, _) throws(HCI.ErrorCode) -> HCI.LERand.ReturnParameters in
        HCI.LERand.ReturnParameters(random: controller.generator.next())
    }
}

/// The security function e: AES-128 of single blocks under one key (Vol 3, Part H, 2.2.1). Keys and
/// blocks have the byte order of HCI.
package struct BlockCipher: Sendable {
    private let cipher: AES128?

    /// Creates a cipher for the key.
    package init(_ key: HCI.Key128) {
        cipher = AES128(key: key.bytes.reversed())
    }

    /// Encrypts the block.
    ///
    /// - Returns: The encrypted block, or `nil` if the cryptographic library fails. A failure is
    ///   not expected for a key and a block of 16 bytes.
    package func encrypt(_ block: HCI.Block128) -> HCI.Block128? {
        cipher?.encrypt(block.bytes.reversed()).flatMap { HCI.Block128($0.reversed()) }
    }

    /// Returns the random address hash ah (Vol 3, Part H, 2.2.2).
    ///
    /// The hash is the low 24 bits of the encrypted block that contains `random` and zeros.
    ///
    /// - Parameter random: The random part of the address. Only its low 24 bits are used.
    /// - Returns: The hash, or `nil` if the cryptographic library fails.
    package func addressHash(_ random: UInt32) -> UInt32? {
        var bytes = [UInt8](repeating: 0, count: AES128.blockLength)
        for place in 0..<3 { bytes[15 - place] = UInt8(truncatingIfNeeded: random >> (8 * place)) }
        return cipher?.encrypt(bytes)?[13...].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
