// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import Crypto
import CryptoExtras

/// AES-128 under one key, a block at a time: the security function e (Vol 3, Part H, 2.2.1).
package struct BlockCipher: Sendable {
    private let key: SymmetricKey

    /// Prepares the key.
    package init(_ key: HCI.Key128) {
        self.key = SymmetricKey(data: Array(key.bytes.reversed()))
    }

    /// Encrypts the block. Nil if the cryptographic library fails, which with a key and a block of
    /// 16 octets it has no reason to do.
    package func encrypt(_ block: HCI.Block128) -> HCI.Block128? {
        var octets = Array(block.bytes.reversed())
        guard permute(&octets) else { return nil }
        return HCI.Block128(octets.reversed())
    }

    /// The random address hash ah of 24 bits (Vol 3, Part H, 2.2.2): the low 24 bits of the block
    /// that is `random` and otherwise zero, encrypted. Nil as for `encrypt`.
    package func addressHash(_ random: UInt32) -> UInt32? {
        var octets = [UInt8](repeating: 0, count: 16)
        for place in 0..<3 { octets[15 - place] = UInt8(truncatingIfNeeded: random >> (8 * place)) }
        guard permute(&octets) else { return nil }
        return octets[13...].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Encrypts 16 octets, the most significant first.
    private func permute(_ octets: inout [UInt8]) -> Bool {
        (try? AES.permute(&octets, key: key)) != nil
    }
}
