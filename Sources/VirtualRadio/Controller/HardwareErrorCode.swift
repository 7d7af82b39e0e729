// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// What the Hardware Error events of a virtual controller say; the codes are the maker's own
/// (Vol 4, Part E, 7.7.16).
package enum HardwareErrorCode: UInt8, Sendable {
    /// The host sent octets that are no packets. All is skipped up to the next HCI Reset
    /// (Vol 4, Part A, 4).
    case framingLost = 0x01
    /// The host did not take its packets, and some are lost.
    case packetsLost = 0x02
    /// The controller has started anew by itself: its state is lost.
    case restarted = 0x03

    var event: HCI.Event { .hardwareError(HCI.HardwareError(code: rawValue)) }
}
