// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The codes of a virtual controller's Hardware Error events, which are vendor-specific (Vol 4,
/// Part E, 7.7.16).
package enum HardwareErrorCode: UInt8, Sendable {
    /// The host sent bytes that are not a packet. The controller skips all bytes up to the next HCI
    /// Reset (Vol 4, Part A, 4).
    case framingLost = 0x01
    /// The host did not take its packets, and some were lost.
    case packetsLost = 0x02
    /// The controller has restarted without a command, and its state is lost.
    case restarted = 0x03

    var event: HCI.Event { .hardwareError(HCI.HardwareError(code: rawValue)) }
}
