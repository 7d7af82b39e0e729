// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The settings from commands that no other part of the controller keeps. Reset restores the
/// initial values.
package struct ControllerSettings: Sendable {
    /// The address of LE Set Random Address; `nil` before that command.
    package var randomAddress: DeviceAddress?
    /// The family of advertising commands that the host uses; `nil` until it uses one.
    package var advertisingDialect: AdvertisingDialect?
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
