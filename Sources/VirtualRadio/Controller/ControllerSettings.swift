// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What commands have set that no other part of the controller keeps. Reset makes it new.
package struct ControllerSettings: Sendable {
    /// LE Set Random Address; nil before.
    package var randomAddress: DeviceAddress?
    /// Which advertising commands the host uses; nil until it has used one of either kind.
    package var advertisingDialect: AdvertisingDialect?
    /// LE Write Suggested Default Data Length: octets.
    package var suggestedOctets: UInt16 = 27
    /// LE Write Suggested Default Data Length: microseconds.
    package var suggestedTime: UInt16 = 328
    /// LE Set Default PHY: which are preferred for sending; nil without a preference.
    package var preferredTransmitPHYs: Set<PHY>?
    /// LE Set Default PHY: which are preferred for receiving; nil without a preference.
    package var preferredReceivePHYs: Set<PHY>?
    /// LE Set Host Channel Classification: a bit for each data channel that may be used.
    package var channelMap: UInt64 = 0x1F_FFFF_FFFF
    /// Write Authenticated Payload Timeout is for each link; this is the default.
    package var authenticatedPayloadTimeout = Duration.seconds(30)
}
