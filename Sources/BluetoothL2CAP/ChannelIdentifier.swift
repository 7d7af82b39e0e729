// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The identifier of one end of a channel on a link (Vol 3, Part A, 2.1).
package struct ChannelIdentifier: OpenCode {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The Attribute Protocol on LE.
    package static let att = ChannelIdentifier(rawValue: 0x0004)
    /// L2CAP's own signaling on LE.
    package static let signaling = ChannelIdentifier(rawValue: 0x0005)
    /// The Security Manager Protocol on LE.
    package static let securityManager = ChannelIdentifier(rawValue: 0x0006)

    package static let names: [UInt16: String] = [
        0x0004: "ATT", 0x0005: "LE signaling", 0x0006: "SMP",
    ]
}
