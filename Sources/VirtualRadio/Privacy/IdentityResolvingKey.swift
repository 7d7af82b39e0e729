// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A key from which a device makes its resolvable private addresses, and with which others resolve
/// them (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).
package struct IdentityResolvingKey: Sendable {
    /// The key.
    package let key: HCI.Key128
    /// Whether the key is all zero, which means that the device has no key.
    package let isZero: Bool
    private let cipher: BlockCipher

    /// Creates the cipher for the key.
    package init(_ key: HCI.Key128) {
        self.key = key
        isZero = key.bytes.allSatisfy { $0 == 0 }
        cipher = BlockCipher(key)
    }

    /// Returns a new resolvable private address; `nil` for the zero key.
    package func makeAddress(using generator: inout RandomStream) -> DeviceAddress? {
        guard !isZero else { return nil }
        // The random part has 22 bits, neither all zero nor all one, below the two bits 01.
        let random = 0b01 << 22 | UInt32(1 + generator.uniform(below: (1 << 22) - 2))
        return cipher.addressHash(random)
            .map { DeviceAddress(value: UInt64(random) << 24 | UInt64($0), kind: .random) }
    }

    /// Returns whether the address was made with the key.
    package func resolves(_ address: DeviceAddress) -> Bool {
        guard !isZero, address.randomKind == .resolvablePrivate else { return false }
        let random = UInt32(truncatingIfNeeded: address.value >> 24)
        return cipher.addressHash(random) == UInt32(truncatingIfNeeded: address.value) & 0xFF_FFFF
    }
}
