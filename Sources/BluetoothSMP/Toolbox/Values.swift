// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension FixedBytes<HCI.Octets16> {
    /// A passkey as the value r of `f6`, and as temporary key (Vol 3, Part H, 2.3.5.3).
    package init(passkey: UInt32) {
        var octets = [UInt8](repeating: 0, count: 16)
        for place in 0..<4 { octets[place] = UInt8(truncatingIfNeeded: passkey >> (8 * place)) }
        self = Self(octets) ?? Self()
    }

    /// Whether the octets are the same, in a time that does not tell where they differ.
    package func matches(_ other: Self) -> Bool {
        zip(bytes, other.bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HCI.Key128 {
    /// A passkey as temporary key of legacy pairing (Vol 3, Part H, 2.3.5.3).
    package init(passkey: UInt32) { self.init(SMP.Value128(passkey: passkey)) }

    /// The key with its most significant octets zero, so that only this many are left
    /// (Vol 3, Part H, 2.3.4).
    package func shortened(to octets: Int) -> HCI.Key128 {
        let kept = bytes.prefix(max(0, octets))
        let zeros = [UInt8](repeating: 0, count: bytes.count - kept.count)
        return HCI.Key128(kept + zeros) ?? self
    }
}
