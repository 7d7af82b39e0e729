// SPDX-License-Identifier: Apache-2.0

// The cryptographic functions on which Bluetooth is based, with the names of the specification (Vol
// 3, Part H, 2.2). In this package, only this module and `Lanyard` import a cryptographic library:
// `Crypto`, which is CryptoKit on Apple's platforms. `PlatformCiphers` has the functions that
// CryptoKit lacks.
//
// All values have the most significant byte first, as in the specification's text. Packets have the
// opposite order, so the code that decodes a packet reverses the bytes.

import Crypto

/// AES-128 with one key: the security function e and the message authentication code AES-CMAC (Vol
/// 3, Part H, 2.2.1 and 2.2.5).
package struct AES128: Sendable {
    /// The length of a key, of a block and of an authentication code, in bytes.
    package static let blockLength = PlatformCiphers.blockLength

    private let key: SymmetricKey

    /// Creates a cipher. Returns `nil` if the key does not have 16 bytes.
    ///
    /// - Parameter key: The key, most significant byte first.
    package init?(key: some Collection<UInt8>) {
        guard key.count == Self.blockLength else { return nil }
        self.key = SymmetricKey(data: Array(key))
    }

    /// Encrypts one 16-byte block.
    ///
    /// - Returns: The encrypted block, or `nil` if the block does not have 16 bytes or the
    ///   cryptographic library fails, which is not expected.
    package func encrypt(_ block: some Collection<UInt8>) -> [UInt8]? {
        guard block.count == Self.blockLength else { return nil }
        return PlatformCiphers.encrypt(Array(block), key: key)
    }

    /// Decrypts one 16-byte block.
    ///
    /// - Returns: The decrypted block, or `nil` if the block does not have 16 bytes or the
    ///   cryptographic library fails, which is not expected.
    package func decrypt(_ block: some Collection<UInt8>) -> [UInt8]? {
        guard block.count == Self.blockLength else { return nil }
        return PlatformCiphers.decrypt(Array(block), key: key)
    }

    /// Computes the code that authenticates a message of any length (AES-CMAC, RFC 4493).
    ///
    /// - Returns: The 16-byte code, or `nil` if the cryptographic library fails, which is not
    ///   expected.
    package func authenticationCode(of message: some Collection<UInt8>) -> [UInt8]? {
        PlatformCiphers.authenticationCode(of: Array(message), key: key)
    }
}
