// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// `CBCSealing` with authentication: the data is first encrypted and then authenticated with HMAC,
/// as in A128CBC-HS256, A192CBC-HS384 and A256CBC-HS512 of JSON Web Encryption (RFC 7518, 5.2).
/// Data is decrypted only after its tag was verified.
///
/// The layout is `IV ‖ ciphertext ‖ tag`, with a tag of half the length of the hash: 16, 24 or 32
/// bytes. This sealing is for accessories with CBC and a hash but without GCM. As in every sealing
/// without a session, an attacker can replay old messages.
public struct AuthenticatedCBCSealing: DataSealing, MessageSealing {
    private let cipher: CBCSealing
    private let authentication: SymmetricKey
    private let size: SealingKey.Size

    /// Creates a sealing with two different keys of one size. To derive both from one key, see
    /// ``SealingKey/derived(for:salt:size:)``.
    ///
    /// - Parameters:
    ///   - encryption: The key for AES.
    ///   - authentication: The key for HMAC.
    /// - Throws: ``SealingError/keySizesDiffer`` if the keys have different sizes;
    ///   ``SealingError/keysAreEqual`` if they are the same key.
    public init(encryption: SealingKey, authentication: SealingKey) throws(SealingError) {
        guard encryption.size == authentication.size else { throw .keySizesDiffer }
        guard encryption.secret != authentication.secret else { throw .keysAreEqual }
        cipher = CBCSealing(key: encryption)
        self.authentication = authentication.secret
        size = encryption.size
    }

    /// The maximum number of bytes that sealing adds: the IV, a block of padding and the tag.
    public var overhead: Int { cipher.overhead + size.bytes }

    /// Seals the data as `IV ‖ ciphertext ‖ tag`.
    ///
    /// - Parameter data: The data.
    /// - Returns: The sealed data.
    /// - Throws: ``SealingError/messageTooLong`` if the cryptographic library does not accept the
    ///   data.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: Data())
    }

    /// Seals the data as `IV ‖ ciphertext ‖ tag`. The tag also authenticates `context`, which is
    /// not part of the output.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - context: The context, which must be the same when the data is opened.
    /// - Returns: The sealed data.
    /// - Throws: ``SealingError/messageTooLong`` if the cryptographic library does not accept the
    ///   data.
    public func seal(_ data: Data, authenticating context: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: context, iv: RandomBytes.draw(CBCSealing.blockLength))
    }

    /// Seals the data with a given IV.
    func seal(
        _ data: Data,
        authenticating context: Data,
        iv: Data
    ) throws(SealingError) -> Data {
        let body = try cipher.seal(data, iv: iv)
        return body + tag(of: body, context)
    }

    /// Opens `IV ‖ ciphertext ‖ tag`, which was sealed without a context.
    ///
    /// - Parameter sealed: The sealed data.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` if the tag or the padding is not valid.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        try open(sealed, authenticating: Data())
    }

    /// Opens `IV ‖ ciphertext ‖ tag` if it was sealed with the same context.
    ///
    /// - Parameters:
    ///   - sealed: The sealed data.
    ///   - context: The context with which the data was sealed.
    /// - Returns: The data.
    /// - Throws: ``SealingError/refused`` if the tag or the padding is not valid.
    public func open(_ sealed: Data, authenticating context: Data) throws(SealingError) -> Data {
        let body = sealed.dropLast(size.bytes)
        guard ConstantTime.equal(sealed.suffix(size.bytes), tag(of: body, context)) else {
            throw .refused
        }
        return try cipher.open(body)
    }

    /// Returns the first half of the HMAC over the context, the body, and the length of the context
    /// in bits.
    private func tag(of body: Data, _ context: Data) -> Data {
        let contextBits = UInt64(context.count) * 8
        let input = context + body + withUnsafeBytes(of: contextBits.bigEndian) { Data($0) }
        let code =
            switch size {
            case .bits128: Data(HMAC<SHA256>.authenticationCode(for: input, using: authentication))
            case .bits192: Data(HMAC<SHA384>.authenticationCode(for: input, using: authentication))
            case .bits256: Data(HMAC<SHA512>.authenticationCode(for: input, using: authentication))
            }
        return code.prefix(size.bytes)
    }
}

/// Comparison in constant time, so that its duration reveals nothing to an attacker.
enum ConstantTime {
    /// Returns whether two pieces of data are equal. Their lengths are not secret.
    static func equal(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
