// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// A key that encrypts links, with the name by which a Central asks for it (Vol 3, Part H, 2.4.4).
///
/// Keys of LE Secure Connections have no names: diversifier and random number are zero, and so are
/// those of the key with which legacy pairing itself is encrypted.
package struct LongTermKey: Hashable, Sendable {
    /// The key; its octets do not show when it is printed.
    package var value: HCI.Key128

    /// The first half of its name.
    package var diversifier: UInt16

    /// The second half of its name.
    package var random: UInt64

    package init(_ value: HCI.Key128, diversifier: UInt16 = 0, random: UInt64 = 0) {
        self.value = value
        self.diversifier = diversifier
        self.random = random
    }
}
