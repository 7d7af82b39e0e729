// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// A key that encrypts links, with the two numbers by which a Central requests it (Vol 3, Part H,
/// 2.4.4).
///
/// For a key of LE Secure Connections, both numbers are zero, and so they are for the short-term
/// key of legacy pairing.
package struct LongTermKey: Hashable, Sendable {
    /// The key. Its description omits its bytes.
    package var value: HCI.Key128

    /// The encrypted diversifier, the first number.
    package var diversifier: UInt16

    /// The random number, the second number.
    package var random: UInt64

    package init(_ value: HCI.Key128, diversifier: UInt16 = 0, random: UInt64 = 0) {
        self.value = value
        self.diversifier = diversifier
        self.random = random
    }
}
