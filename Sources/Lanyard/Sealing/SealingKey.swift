// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

/// A secret that both ends have: 128, 192 or 256 bits.
///
/// It is kept in memory that is wiped when the last copy is gone, is compared in a time that tells
/// nothing, and is never printed: neither `print` nor `dump` shows more than its size.
public struct SealingKey: Equatable, Sendable {
    /// How many bits a key has.
    public enum Size: Int, CaseIterable, Sendable {
        /// 16 octets: enough for anything of today.
        case bits128 = 128
        /// 24 octets.
        case bits192 = 192
        /// 32 octets: what to take where nothing speaks for another.
        case bits256 = 256

        /// How many octets that are.
        public var octets: Int { rawValue / 8 }
    }

    /// What the library calculates with.
    let secret: SymmetricKey
    /// How long it is.
    public let size: Size

    /// The key with these octets.
    /// - Throws: `keyLength` unless there are 16, 24 or 32.
    public init(_ octets: Data) throws(SealingError) {
        guard let size = Size(rawValue: octets.count * 8) else { throw .keyLength(octets.count) }
        self.init(SymmetricKey(data: octets), size)
    }

    /// A new key that nobody has.
    public init(random size: Size = .bits256) {
        self.init(SymmetricKey(size: SymmetricKeySize(bitCount: size.rawValue)), size)
    }

    private init(_ secret: SymmetricKey, _ size: Size) {
        self.secret = secret
        self.size = size
    }

    /// The octets, to hand the key to the other end over a channel that is safe, or to put it into a
    /// keychain. A copy of theirs is not wiped: do not keep it.
    public var octets: Data { secret.withUnsafeBytes { Data($0) } }
}

/// Keys made of something else.
extension SealingKey {
    /// Salt is at least so long, in octets (NIST SP 800-132, 5.1).
    public static let minimumSaltLength = 16
    /// Fewer rounds of PBKDF2 are not made.
    public static let minimumRounds = 210_000
    /// The rounds that are recommended for HMAC-SHA-256: each guess of an attacker's costs as many.
    public static let recommendedRounds = 600_000

    /// A key from a secret that a person can remember (PBKDF2 with HMAC-SHA-256, RFC 8018, 5.2).
    ///
    /// It is as weak as the passphrase, and made slowly on purpose: in a fraction of a second, not on the
    /// main thread. Both ends need the same salt and rounds, which are no secrets.
    ///
    /// - Parameter passphrase: its octets in UTF-8, in Unicode's composed form, are what counts.
    /// - Throws: `weakDerivation` if the passphrase is empty, the salt shorter than
    ///   `minimumSaltLength`, or the rounds fewer than `minimumRounds`.
    public init(
        passphrase: String,
        salt: Data,
        rounds: Int = recommendedRounds,
        size: Size = .bits256
    ) throws(SealingError) {
        let composed = Data(passphrase.precomposedStringWithCanonicalMapping.utf8)
        guard !composed.isEmpty, salt.count >= Self.minimumSaltLength,
            (Self.minimumRounds...Int(Int32.max)).contains(rounds)
        else { throw .weakDerivation }
        do {
            let secret = try KDF.Insecure.PBKDF2.deriveKey(
                from: composed,
                salt: salt,
                using: .sha256,
                outputByteCount: size.octets,
                rounds: rounds
            )
            self.init(secret, size)
        } catch {
            throw .weakDerivation
        }
    }

    /// A key for one purpose, made of this one (HKDF with SHA-256, RFC 5869): who has it learns nothing
    /// about this one, or about those for other purposes.
    ///
    /// - Parameters:
    ///   - purpose: what it is for; another text gives another key.
    ///   - salt: random octets that both ends know, if there are any.
    ///   - size: how long it shall be; as long as this one if nil.
    public func derived(for purpose: String, salt: Data = Data(), size: Size? = nil) -> SealingKey {
        let size = size ?? self.size
        let secret = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret,
            salt: salt,
            info: Data(purpose.utf8),
            outputByteCount: size.octets
        )
        return SealingKey(secret, size)
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its size, and nothing more.
    public var description: String { "key of \(size.rawValue) bits" }
    /// Its size, and nothing more.
    public var debugDescription: String { description }
    /// Nothing: `dump` looks for secrets here in vain.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
