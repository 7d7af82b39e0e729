// SPDX-License-Identifier: Apache-2.0
import BluetoothCrypto
import BluetoothHCI

/// AES-128 under one key, one block at a time, with keys and blocks in the byte order of HCI: the
/// security function e (Vol 3, Part H, 2.2.1).
package struct BlockCipher: Sendable {
    private let cipher: AES128?

    /// Creates a cipher for the key.
    package init(_ key: HCI.Key128) {
        cipher = AES128(key: key.bytes.reversed())
    }

    /// Encrypts the block.
    ///
    /// - Returns: The encrypted block; `nil` if the cryptographic library fails, which is not
    ///   expected for a key and a block of 16 bytes.
    package func encrypt(_ block: HCI.Block128) -> HCI.Block128? {
        cipher?.encrypt(block.bytes.reversed()).flatMap { HCI.Block128($0.reversed()) }
    }

    /// Returns the random address hash ah of 24 bits (Vol 3, Part H, 2.2.2): the low 24 bits of the
    /// encryption of a block that holds `random` and is otherwise zero; `nil` under the same
    /// condition as `encrypt`.
    package func addressHash(_ random: UInt32) -> UInt32? {
        var bytes = [UInt8](repeating: 0, count: AES128.blockLength)
        for place in 0..<3 { bytes[15 - place] = UInt8(truncatingIfNeeded: random >> (8 * place)) }
        return cipher?.encrypt(bytes)?[13...].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
