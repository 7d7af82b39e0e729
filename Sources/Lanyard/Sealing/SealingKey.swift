// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import Crypto
import Foundation

/// A secret key that both sides share: 128, 192 or 256 bits.
///
/// The memory of a key is wiped when its last copy is released. Keys are compared in constant time.
/// Neither `print` nor `dump` shows more than the size of a key.
public struct SealingKey: Equatable, Sendable {
    /// The size of a key in bits.
    public enum Size: Int, CaseIterable, Sendable {
        /// 16 bytes: sufficient security today.
        case bits128 = 128
        /// 24 bytes.
        case bits192 = 192
        /// 32 bytes: the default choice.
        case bits256 = 256

        /// The size in bytes.
        public var bytes: Int { rawValue / 8 }
    }

    /// The key for the cryptographic library.
    let secret: SymmetricKey
    /// The size of the key.
    public let size: Size

    /// Creates a key from its bytes.
    ///
    /// - Parameter bytes: The bytes of the key: 16, 24 or 32.
    /// - Throws: ``SealingError/keyLength(_:)`` if there are not 16, 24 or 32 bytes.
    public init(_ bytes: Data) throws(SealingError) {
        guard let size = Size(rawValue: bytes.count * 8) else { throw .keyLength(bytes.count) }
        self.init(SymmetricKey(data: bytes), size)
    }

    /// Creates a new random key.
    ///
    /// - Parameter size: The size of the key.
    public init(random size: Size = .bits256) {
        self.init(SymmetricKey(size: SymmetricKeySize(bitCount: size.rawValue)), size)
    }

    private init(_ secret: SymmetricKey, _ size: Size) {
        self.secret = secret
        self.size = size
    }

    /// The bytes of the key, for transferring it to the other side over a secure channel, or for
    /// storing it in a keychain. Copies of these bytes are not wiped, so do not keep them.
    public var bytes: Data { secret.withUnsafeBytes { Data($0) } }
}

/// Derived keys.
extension SealingKey {
    /// The minimum length of a salt in bytes (NIST SP 800-132, 5.1).
    public static let minimumSaltLength = 16
    /// The minimum number of rounds of PBKDF2.
    public static let minimumRounds = 210_000
    /// The recommended number of rounds for HMAC-SHA-256. An attacker must compute all rounds for
    /// each passphrase that the attacker tries.
    public static let recommendedRounds = 600_000

    /// Creates a key from a passphrase (PBKDF2 with HMAC-SHA-256, RFC 8018, 5.2).
    ///
    /// The key is only as strong as the passphrase. The derivation is slow on purpose: it takes a
    /// fraction of a second, so do not call the initializer on the main thread. Both sides need the
    /// same salt and number of rounds, which are not secret.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase. The derivation uses its UTF-8 bytes in Unicode Normalization
    ///     Form C.
    ///   - salt: Random bytes, at least ``minimumSaltLength``.
    ///   - rounds: The number of rounds, from ``minimumRounds`` to 2,147,483,647.
    ///   - size: The size of the key.
    /// - Throws: ``SealingError/weakDerivation`` if the passphrase is empty, the salt is too short,
    ///   or the number of rounds is out of range.
    public init(
        passphrase: String,
        salt: Data,
        rounds: Int = recommendedRounds,
        size: Size = .bits256
    ) throws(SealingError) {
        let composed = Array(passphrase.precomposedStringWithCanonicalMapping.utf8)
        guard !composed.isEmpty, salt.count >= Self.minimumSaltLength,
            (Self.minimumRounds...Int(Int32.max)).contains(rounds),
            let secret = AESCBC.deriveKey(
                passphrase: composed,
                salt: Array(salt),
                rounds: rounds,
                length: size.bytes
            )
        else { throw .weakDerivation }
        self.init(secret, size)
    }

    /// Derives a key for one purpose from this key (HKDF with SHA-256, RFC 5869). The derived key
    /// reveals nothing about this key, or about the keys for other purposes.
    ///
    /// - Parameters:
    ///   - purpose: The purpose; each text gives a different key.
    ///   - salt: Random bytes that both sides know, if there are any.
    ///   - size: The size of the derived key; `nil` for the size of this key.
    /// - Returns: The derived key.
    public func derived(for purpose: String, salt: Data = Data(), size: Size? = nil) -> SealingKey {
        let size = size ?? self.size
        let secret = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret,
            salt: salt,
            info: Data(purpose.utf8),
            outputByteCount: size.bytes
        )
        return SealingKey(secret, size)
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size of the key, without its bytes.
    public var description: String { "key of \(size.rawValue) bits" }
    /// The size of the key, without its bytes.
    public var debugDescription: String { description }
    /// An empty mirror, so that `dump` reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
