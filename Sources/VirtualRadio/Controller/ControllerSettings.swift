// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The settings from commands that no other part of the controller stores. Reset restores the
/// initial values.
package struct ControllerSettings: Sendable {
    /// The address of LE Set Random Address; `nil` before that command.
    package var randomAddress: DeviceAddress?
    /// The family of advertising commands that the host uses; `nil` until it uses one.
    package var commandFamily: CommandFamily?
    /// The payload length of LE Write Suggested Default Data Length, in bytes.
    package var suggestedBytes: UInt16 = 27
    /// The air time of LE Write Suggested Default Data Length, in microseconds.
    package var suggestedTime: UInt16 = 328
    /// The preferred PHYs for sending, from LE Set Default PHY; `nil` without a preference.
    package var preferredTransmitPHYs: Set<PHY>?
    /// The preferred PHYs for receiving, from LE Set Default PHY; `nil` without a preference.
    package var preferredReceivePHYs: Set<PHY>?
    /// The data channels that may be used, from LE Set Host Channel Classification, with one bit
    /// for each.
    package var channelMap: UInt64 = 0x1F_FFFF_FFFF
    /// The default authenticated payload timeout. Write Authenticated Payload Timeout sets it for
    /// one link.
    package var authenticatedPayloadTimeout = Duration.seconds(30)
}

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
