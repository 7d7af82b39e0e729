// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import Crypto
import Foundation

/// AES in CBC mode with PKCS#7 padding and a fresh random IV: `IV ‖ ciphertext` with keys of 128,
/// 192 or 256 bits (NIST SP 800-38A, 6.2; RFC 5652, 6.3). Accessories whose firmware matches the
/// usual use of CommonCrypto understand it.
///
/// ```swift
/// let sealing = CBCSealing(key: try SealingKey(bytes))
/// let sealed = try sealing.seal(Data("open".utf8))   // 32 bytes: 16 of IV, 16 of ciphertext
/// ```
///
/// **CBC alone is not safe if an attacker can change the data in transit.** It only hides the
/// contents. An attacker can flip any bit of the first block by flipping that bit of the IV, flip
/// bits of another block at the price of garbling the block before it, remove blocks, combine parts
/// of messages, and replay old messages. Opening such a message *succeeds*. An accessory that
/// answers differently to wrong padding and to wrong contents also reveals its messages. Use this
/// sealing for accessories that support nothing else. If you control the firmware, use
/// ``GCMSealing``, or at least ``AuthenticatedCBCSealing``.
///
/// Opening fails with the single error ``SealingError/refused``, whatever the cause, and the check
/// of the padding takes constant time. Preserve that property in the app: drop a refused message
/// without an answer.
public struct CBCSealing: DataSealing, MessageSealing {
    /// The length of a block and of the IV, in bytes.
    static let blockLength = AESCBC.blockLength
    private let key: SymmetricKey

    /// Creates a sealing with the key.
    ///
    /// - Parameter key: The key for AES.
    public init(key: SealingKey) {
        self.key = key.secret
    }

    /// The maximum number of bytes that sealing adds: the IV and a block of padding.
    public var overhead: Int { 2 * Self.blockLength }

    /// Seals the data as `IV ‖ ciphertext`, which is 17 to 32 bytes longer than the data and
    /// differs each time.
    ///
    /// - Parameter data: The data.
    /// - Returns: The sealed data.
    /// - Throws: ``SealingError/messageTooLong`` if the cryptographic library does not accept the
    ///   data.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, iv: RandomBytes.draw(Self.blockLength))
    }

    /// Seals the data with a given IV.
    func seal(_ data: Data, iv: Data) throws(SealingError) -> Data {
        guard let ciphertext = AESCBC.encrypt(Array(data), key: key, iv: Array(iv)) else {
            throw .messageTooLong
        }
        return iv + ciphertext
    }

    /// Opens `IV ‖ ciphertext`. Success does not prove that the data is unchanged: see
    /// ``CBCSealing``.
    ///
    /// - Parameter sealed: The sealed data.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` if the length is not that of sealed data, or the padding
    ///   is not valid.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        let iv = sealed.prefix(Self.blockLength)
        let ciphertext = sealed.dropFirst(Self.blockLength)
        guard let data = AESCBC.decrypt(Array(ciphertext), key: key, iv: Array(iv)) else {
            throw .refused
        }
        return Data(data)
    }
}
