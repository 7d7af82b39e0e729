// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

/// AES in the CBC mode with PKCS#7 padding and a fresh random IV in front: what accessories understand
/// whose makers used CommonCrypto in the usual way, `IV ‖ ciphertext`, with keys of 128, 192 or 256 bits
/// (NIST SP 800-38A, 6.2; RFC 5652, 6.3).
///
/// ```swift
/// let sealing = CBCSealing(key: try SealingKey(octets))
/// let sealed = try sealing.seal(Data("open".utf8))   // 32 octets: 16 of IV, 16 of ciphertext
/// ```
///
/// **CBC alone is a mistake wherever somebody may change what is sent.** It hides what a message says, and
/// nothing else: whoever is between the ends can turn any bit of the first block by turning that bit of
/// the IV, turn bits of any other block at the price of garbling the one before it, cut blocks off, put
/// messages together from parts of others, and send old ones again; opening such a message *succeeds*. And
/// an accessory that answers differently to a wrong padding than to a wrong content gives its messages
/// away. Use it for accessories that know nothing else; if their firmware is yours, use `GCMSealing`, or
/// at least `AuthenticatedCBCSealing`.
///
/// Opening fails with one error, `SealingError.refused`, whatever was wrong, and the padding is checked
/// in a time that does not depend on it. Keep that up: drop what was refused, and answer nothing.
public struct CBCSealing: DataSealing, MessageSealing {
    /// The octets of a block, and of the IV.
    static let blockLength = 16
    private let key: SymmetricKey

    /// Seals with the key.
    public init(key: SealingKey) {
        self.key = key.secret
    }

    /// The IV, and at most a block of padding.
    public var overhead: Int { 2 * Self.blockLength }

    /// `IV ‖ ciphertext`: longer than the data by 17 to 32 octets, never the same twice.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, iv: RandomBytes.draw(Self.blockLength))
    }

    /// With an IV that is known.
    func seal(_ data: Data, iv: Data) throws(SealingError) -> Data {
        do {
            return iv + (try AES._CBC.encrypt(data, using: key, iv: AES._CBC.IV(ivBytes: iv)))
        } catch {
            throw .messageTooLong
        }
    }

    /// The data in `IV ‖ ciphertext`. That it opens does not mean that it is what was sealed: see above.
    /// - Throws: `refused` if it has not the length of sealed data, or there is no padding in the end.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        let iv = sealed.prefix(Self.blockLength)
        let ciphertext = sealed.dropFirst(Self.blockLength)
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: Self.blockLength) else {
            throw .refused
        }
        do {
            return try AES._CBC.decrypt(ciphertext, using: key, iv: AES._CBC.IV(ivBytes: iv))
        } catch {
            throw .refused
        }
    }
}
