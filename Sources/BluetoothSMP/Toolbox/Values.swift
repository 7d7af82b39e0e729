// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension FixedBytes<HCI.Bytes16> {
    /// Creates the value that represents a passkey as the argument r of `f6`, or as the temporary
    /// key of legacy pairing (Vol 3, Part H, 2.3.5.3).
    package init(passkey: UInt32) {
        var bytes = [UInt8](repeating: 0, count: 16)
        for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: passkey >> (8 * place)) }
        self = Self(bytes) ?? Self()
    }

    /// Compares the bytes in constant time, so that the duration does not disclose the position of
    /// a difference.
    package func matches(_ other: Self) -> Bool {
        zip(bytes, other.bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HCI.Key128 {
    /// Creates the temporary key of legacy pairing from a passkey (Vol 3, Part H, 2.3.5.3).
    package init(passkey: UInt32) { self.init(SMP.Value128(passkey: passkey)) }

    /// Returns the key with its most significant bytes set to zero, so that only `count` bytes
    /// remain (Vol 3, Part H, 2.3.4).
    package func shortened(to count: Int) -> HCI.Key128 {
        let kept = bytes.prefix(max(0, count))
        let zeros = [UInt8](repeating: 0, count: bytes.count - kept.count)
        return HCI.Key128(kept + zeros) ?? self
    }
}
