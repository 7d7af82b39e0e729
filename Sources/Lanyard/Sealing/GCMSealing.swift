// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// AES in the Galois/Counter Mode: nobody can read what is sealed, and nobody can change it without being
/// found out (NIST SP 800-38D). The one to take where both ends are yours.
///
/// ```swift
/// let sealing = GCMSealing(key: SealingKey(random: .bits256))
/// let sealed = try sealing.seal(Data("open".utf8), authenticating: Data("door 7".utf8))
/// ```
///
/// On `Data` the layout is `nonce ‖ ciphertext ‖ tag`, as CryptoKit's `combined`: 12 octets of a nonce that
/// is drawn at random, and 16 of the tag. One key is good for `maximumSeals` pieces of data with random
/// nonces, whichever end seals them: beyond that the chance that two nonces were the same, which would
/// break everything, gets above one in four thousand millions. Opening tells whether it is what was
/// sealed, not whether it was sealed just now.
///
/// In a `MessageChannel` it does more: both ends agree on keys for their session, count their messages, and
/// refuse one that was recorded before; docs/SEALING.md has it octet by octet. For an accessory that seals
/// each message by itself, say `SessionlessSealing(GCMSealing(key: key))`.
public struct GCMSealing: DataSealing, MessageSealing {
    /// How many pieces of data may be sealed on their own with one key (NIST SP 800-38D, 8.3).
    public static let maximumSeals: UInt64 = 1 << 32
    /// The octets of a nonce.
    static let nonceLength = 12
    /// The octets of a tag.
    static let tagLength = 16
    private let key: SealingKey

    /// Seals with the key.
    public init(key: SealingKey) {
        self.key = key
    }

    /// The nonce and the tag.
    public var overhead: Int { Self.nonceLength + Self.tagLength }

    /// `nonce ‖ ciphertext ‖ tag`.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: Data())
    }

    /// `nonce ‖ ciphertext ‖ tag`, where the tag vouches for other data, too, which is not sent with it:
    /// what it is for, who it is for.
    public func seal(_ data: Data, authenticating context: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: context, nonce: RandomBytes.draw(Self.nonceLength))
    }

    /// With a nonce that the caller never uses twice.
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

    /// The data in `nonce ‖ ciphertext ‖ tag`.
    /// - Throws: `refused`.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        try open(sealed, authenticating: Data())
    }

    /// The data in `nonce ‖ ciphertext ‖ tag`, if it was sealed with the same context.
    /// - Throws: `refused`.
    public func open(_ sealed: Data, authenticating context: Data) throws(SealingError) -> Data {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return try AES.GCM.open(box, using: key.secret, authenticating: context)
        } catch {
            throw .refused
        }
    }

    /// A session in which no message is taken twice.
    public func makeSession(as role: SealingRole) -> any SealingSession {
        switch role {
        case .central: GCMCentralSession(key: key)
        case .peripheral: GCMPeripheralSession(key: key)
        }
    }
}
