// SPDX-License-Identifier: Apache-2.0

// The one place that knows a cryptographic library: what Bluetooth builds upon, by the names that
// the specification gives it (Vol 3, Part H, 2.2).
//
// Every value here is in the order in which the specification writes it: the most significant octet
// first. What travels is the other way round; whoever reads it from a packet turns it.

import Crypto
import CryptoExtras

/// AES-128 under one key: the security function e, and the code that authenticates messages
/// (Vol 3, Part H, 2.2.1 and 2.2.5).
package struct AES128: Sendable {
    /// The octets of a key, a block and a code.
    package static let blockLength = 16

    private let key: SymmetricKey

    /// Prepares a key of 16 octets, most significant first; nil if there are not 16.
    package init?(key: some Collection<UInt8>) {
        guard key.count == Self.blockLength else { return nil }
        self.key = SymmetricKey(data: Array(key))
    }

    /// Encrypts one block of 16 octets. Nil if there are not 16, or if the cryptographic library
    /// fails, which it has no reason to do.
    package func encrypt(_ block: some Collection<UInt8>) -> [UInt8]? {
        guard block.count == Self.blockLength else { return nil }
        var octets = Array(block)
        guard (try? AES.permute(&octets, key: key)) != nil else { return nil }
        return octets
    }

    /// Decrypts one block of 16 octets. Nil as for `encrypt`.
    package func decrypt(_ block: some Collection<UInt8>) -> [UInt8]? {
        guard block.count == Self.blockLength else { return nil }
        var octets = Array(block)
        guard (try? AES.inversePermute(&octets, key: key)) != nil else { return nil }
        return octets
    }

    /// The code of 16 octets that authenticates a message of any length (AES-CMAC, RFC 4493). Nil
    /// as for `encrypt`.
    package func authenticationCode(of message: some Collection<UInt8>) -> [UInt8]? {
        guard var code = try? AES.CMAC(key: key) else { return nil }
        code.update(data: Array(message))
        return Array(code.finalize())
    }
}
