// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Functions that `Lanyard` needs for sealed messages and that CryptoKit lacks: AES in CBC mode
/// with PKCS#7 padding (NIST SP 800-38A, 6.2; RFC 5652, 6.3), and PBKDF2.
package enum AESCBC {
    /// The length of a block and of an initialization vector in bytes.
    package static let blockLength = PlatformCiphers.blockLength

    /// Encrypts a message, which is padded with 1 to 16 bytes.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: A key of 128, 192 or 256 bits.
    ///   - iv: The initialization vector, 16 bytes.
    /// - Returns: The ciphertext, or `nil` if the vector has another length, or the cryptographic
    ///   library does not accept the message.
    package static func encrypt(
        _ message: [UInt8],
        key: SymmetricKey,
        iv: [UInt8]
    ) -> [UInt8]? {
        guard iv.count == blockLength else { return nil }
        let padding = blockLength - message.count % blockLength
        let padded = message + [UInt8](repeating: UInt8(padding), count: padding)
        return PlatformCiphers.encryptChain(padded, key: key, iv: iv)
    }

    /// Decrypts a ciphertext and removes the padding. The duration does not disclose where a wrong
    /// padding differs.
    ///
    /// - Parameters:
    ///   - ciphertext: The ciphertext.
    ///   - key: A key of 128, 192 or 256 bits.
    ///   - iv: The initialization vector, 16 bytes.
    /// - Returns: The message, or `nil` if a length or the padding is not valid.
    package static func decrypt(
        _ ciphertext: [UInt8],
        key: SymmetricKey,
        iv: [UInt8]
    ) -> [UInt8]? {
        guard iv.count == blockLength, !ciphertext.isEmpty,
            ciphertext.count.isMultiple(of: blockLength),
            let padded = PlatformCiphers.decryptChain(ciphertext, key: key, iv: iv)
        else { return nil }
        return withoutPadding(padded)
    }

    /// Derives a key from a passphrase with PBKDF2 and HMAC-SHA-256 (RFC 8018, 5.2).
    ///
    /// - Parameters:
    ///   - passphrase: The bytes of the passphrase.
    ///   - salt: The salt.
    ///   - rounds: The number of rounds, at least 210,000.
    ///   - length: The length of the key in bytes.
    /// - Returns: The key, or `nil` if the cryptographic library refuses the arguments.
    package static func deriveKey(
        passphrase: [UInt8],
        salt: [UInt8],
        rounds: Int,
        length: Int
    ) -> SymmetricKey? {
        PlatformCiphers.deriveKey(
            passphrase: passphrase,
            salt: salt,
            rounds: rounds,
            length: length
        )
    }

    /// Removes the padding, which is compared without a branch on its bytes. Otherwise, the
    /// duration would disclose to an attacker where a wrong padding differs.
    static func withoutPadding(_ padded: [UInt8]) -> [UInt8]? {
        guard let last = padded.last, padded.count >= blockLength else { return nil }
        let length = Int(last)
        var differences: UInt8 = 0
        for distance in 1...blockLength {
            // All bits are set if the byte belongs to the padding: the number is then negative.
            let isPadding = (distance - length - 1) >> (Int.bitWidth - 1)
            differences |=
                UInt8(truncatingIfNeeded: isPadding) & (padded[padded.count - distance] ^ last)
        }
        let isTooShort = UInt8(truncatingIfNeeded: (length - 1) >> (Int.bitWidth - 1))
        let isTooLong = UInt8(truncatingIfNeeded: (blockLength - length) >> (Int.bitWidth - 1))
        guard differences | isTooShort | isTooLong == 0 else { return nil }
        return Array(padded.dropLast(length))
    }
}
