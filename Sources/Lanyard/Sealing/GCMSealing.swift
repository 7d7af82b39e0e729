// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// AES in Galois/Counter Mode: an attacker can neither read sealed data nor change it without
/// detection (NIST SP 800-38D). Use this sealing if you control both sides.
///
/// ```swift
/// let sealing = GCMSealing(key: SealingKey(random: .bits256))
/// let sealed = try sealing.seal(Data("open".utf8), authenticating: Data("door 7".utf8))
/// ```
///
/// For `Data` the layout is `nonce ‖ ciphertext ‖ tag`, as in CryptoKit's `combined`: a random
/// nonce of 12 bytes and a tag of 16 bytes. With random nonces one key may seal at most
/// ``maximumSeals`` pieces of data, both sides together. Beyond that the probability that a nonce
/// repeats, which would break the encryption, exceeds 2⁻³². Opening proves that the data is
/// unchanged. It does not prove the time of sealing.
///
/// In a ``MessageChannel`` both sides also agree on session keys, count their messages, and refuse
/// replayed ones; docs/SEALING.md specifies this byte by byte. For an accessory that seals each
/// message by itself, use `SessionlessSealing(GCMSealing(key: key))`.
public struct GCMSealing: DataSealing, MessageSealing {
    /// The maximum number of pieces of data that one key may seal with random nonces (NIST SP
    /// 800-38D, 8.3).
    public static let maximumSeals: UInt64 = 1 << 32
    /// The length of a nonce in bytes.
    static let nonceLength = 12
    /// The length of a tag in bytes.
    static let tagLength = 16
    /// The permanent keys. Data is sealed with the current one.
    var keys: SealingKeyRing
    private var key: SealingKey { keys.current }

    /// Creates a sealing with the key.
    ///
    /// - Parameters:
    ///   - key: The key for AES, or the permanent key of the sessions of a channel.
    ///   - others: Further keys that a session of a channel accepts, because the other side may
    ///     rotate to one of them, or has done so while this side did not run. Only the last eight
    ///     are kept. These keys do not open `Data`.
    public init(key: SealingKey, accepting others: [SealingKey] = []) {
        keys = SealingKeyRing(key, accepting: others)
    }

    /// The number of bytes that sealing adds: the nonce and the tag.
    public var overhead: Int { Self.nonceLength + Self.tagLength }

    /// Seals the data as `nonce ‖ ciphertext ‖ tag`.
    ///
    /// - Parameter data: The data.
    /// - Returns: The sealed data, 28 bytes longer than the data.
    /// - Throws: ``SealingError/messageTooLong`` if the cryptographic library does not accept the
    ///   data.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: Data())
    }

    /// Seals the data as `nonce ‖ ciphertext ‖ tag`. The tag also authenticates `context`, which is
    /// not part of the output, for example the purpose or the recipient.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - context: The context, which must be the same when the data is opened.
    /// - Returns: The sealed data, 28 bytes longer than the data.
    /// - Throws: ``SealingError/messageTooLong`` if the cryptographic library does not accept the
    ///   data.
    public func seal(_ data: Data, authenticating context: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: context, nonce: RandomBytes.draw(Self.nonceLength))
    }

    /// Seals the data with a nonce that the caller never repeats.
    func seal(
        _ data: Data,
        authenticating context: Data,
        nonce: Data
    ) throws(SealingError) -> Data {
        do {
            let box = try AES.GCM.seal(
                data,
                using: key.secret,
                nonce: AES.GCM.Nonce(data: nonce),
                authenticating: context
            )
            return box.combined ?? nonce + box.ciphertext + box.tag
        } catch {
            throw .messageTooLong
        }
    }

    /// Opens `nonce ‖ ciphertext ‖ tag`, which was sealed without a context.
    ///
    /// - Parameter sealed: The sealed data.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` if the sealed data is shorter than 28 bytes, or the tag
    ///   is not valid.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        try open(sealed, authenticating: Data())
    }

    /// Opens `nonce ‖ ciphertext ‖ tag` if it was sealed with the same context.
    ///
    /// - Parameters:
    ///   - sealed: The sealed data.
    ///   - context: The context with which the data was sealed.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` if the sealed data is shorter than 28 bytes, or the tag
    ///   is not valid.
    public func open(_ sealed: Data, authenticating context: Data) throws(SealingError) -> Data {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return try AES.GCM.open(box, using: key.secret, authenticating: context)
        } catch {
            throw .refused
        }
    }

    /// Returns a session that accepts each message only once.
    ///
    /// - Parameter role: The side of the link: the central greets, and the peripheral answers.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        switch role {
        case .central: GCMCentralSession(keys: keys)
        case .peripheral: GCMPeripheralSession(keys: keys)
        }
    }
}
