// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

/// A prepared Identity Resolving Key. A device makes its resolvable private addresses with it, and
/// its peers resolve them with it (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).
package struct ResolvingKey: Sendable {
    /// The random part of an address: 22 bits that are neither all zero nor all one, below the bits
    /// 01.
    private static let randomRange: ClosedRange<UInt32> = 1...0x3F_FFFE
    private static let randomMark: UInt32 = 0b01 << 22

    private let cipher: AES128

    /// Prepares a key. Returns `nil` if it is all zero: a device that distributes such a key uses
    /// no private addresses (Vol 3, Part H, 3.6.4, and Vol 4, Part E, 7.8.38).
    package init?(_ key: HCI.Key128) {
        guard key.bytes.contains(where: { $0 != 0 }), let cipher = AES128(key: key.bytes.reversed())
        else { return nil }
        self.cipher = cipher
    }

    /// Returns a new private address, or `nil` if the cryptographic library fails.
    package func makeAddress(using generator: inout some RandomNumberGenerator) -> DeviceAddress? {
        let random = Self.randomMark | UInt32.random(in: Self.randomRange, using: &generator)
        return hash(of: random).map {
            DeviceAddress(value: UInt64(random) << 24 | UInt64($0), kind: .random)
        }
    }

    /// Returns whether an address was made with the key. One in 16 million other resolvable private
    /// addresses matches, too.
    package func resolves(_ address: DeviceAddress) -> Bool {
        guard address.randomKind == .resolvablePrivate else { return false }
        let hash = UInt32(truncatingIfNeeded: address.value) & 0xFF_FFFF
        return self.hash(of: UInt32(truncatingIfNeeded: address.value >> 24)) == hash
    }

    /// Returns the result of the random address hash function ah (Vol 3, Part H, 2.2.2).
    private func hash(of random: UInt32) -> UInt32? {
        var block = [UInt8](repeating: 0, count: AES128.blockLength)
        for place in 0..<3 {
            block[AES128.blockLength - 1 - place] = UInt8(truncatingIfNeeded: random >> (8 * place))
        }
        return cipher.encrypt(block).map { $0.suffix(3).reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
