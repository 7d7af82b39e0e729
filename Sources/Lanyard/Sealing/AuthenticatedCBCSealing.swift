// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// `CBCSealing` made safe: encrypted first, then authenticated with HMAC, as JSON Web Encryption has it
/// in A128CBC-HS256, A192CBC-HS384 and A256CBC-HS512 (RFC 7518, 5.2). Nothing is decrypted before its tag
/// was found to be right.
///
/// The layout is `IV ‖ ciphertext ‖ tag`, the tag half as long as the hash: 16, 24 or 32 octets. It is
/// for accessories that can do CBC and a hash but no GCM. As with every sealing without a session, old
/// messages can be sent again.
public struct AuthenticatedCBCSealing: DataSealing, MessageSealing {
    private let cipher: CBCSealing
    private let authentication: SymmetricKey
    private let size: SealingKey.Size

    /// Seals with two keys of one size, which must not be the same; to make both of one, see
    /// `SealingKey.derived(for:salt:size:)`.
    /// - Throws: `keySizesDiffer`.
    public init(encryption: SealingKey, authentication: SealingKey) throws(SealingError) {
        guard encryption.size == authentication.size else { throw .keySizesDiffer }
        cipher = CBCSealing(key: encryption)
        self.authentication = authentication.secret
        size = encryption.size
    }

    /// The IV, at most a block of padding, and the tag.
    public var overhead: Int { cipher.overhead + size.octets }

    /// `IV ‖ ciphertext ‖ tag`.
    public func seal(_ data: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: Data())
    }

    /// `IV ‖ ciphertext ‖ tag`, where the tag vouches for other data, too, which is not sent with it.
    public func seal(_ data: Data, authenticating context: Data) throws(SealingError) -> Data {
        try seal(data, authenticating: context, iv: RandomBytes.draw(CBCSealing.blockLength))
    }

    /// With an IV that is known.
    func seal(
        _ data: Data,
        authenticating context: Data,
        iv: Data
    ) throws(SealingError) -> Data {
        let body = try cipher.seal(data, iv: iv)
        return body + tag(of: body, context)
    }

    /// The data in `IV ‖ ciphertext ‖ tag`.
    /// - Throws: `refused`.
    public func open(_ sealed: Data) throws(SealingError) -> Data {
        try open(sealed, authenticating: Data())
    }

    /// The data in `IV ‖ ciphertext ‖ tag`, if it was sealed with the same context.
    /// - Throws: `refused`.
    public func open(_ sealed: Data, authenticating context: Data) throws(SealingError) -> Data {
        let body = sealed.dropLast(size.octets)
        guard ConstantTime.equal(sealed.suffix(size.octets), tag(of: body, context)) else {
            throw .refused
        }
        return try cipher.open(body)
    }

    /// The first half of HMAC over context, body, and the context's length in bits.
    private func tag(of body: Data, _ context: Data) -> Data {
        let contextBits = UInt64(context.count) * 8
        let input = context + body + withUnsafeBytes(of: contextBits.bigEndian) { Data($0) }
        let code =
            switch size {
            case .bits128: Data(HMAC<SHA256>.authenticationCode(for: input, using: authentication))
            case .bits192: Data(HMAC<SHA384>.authenticationCode(for: input, using: authentication))
            case .bits256: Data(HMAC<SHA512>.authenticationCode(for: input, using: authentication))
            }
        return code.prefix(size.octets)
    }
}

/// Comparing what an attacker must not learn about by the time that it takes.
enum ConstantTime {
    /// Whether two pieces of data are the same. Their lengths are no secret.
    static func equal(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
