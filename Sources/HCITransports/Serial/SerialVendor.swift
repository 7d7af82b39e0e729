// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// A vendor of controllers whose UART speed a published command can change. The manufacturer, a
/// driver of the Linux kernel, or BlueZ has published the command.
///
/// The controllers of Nordic and Espressif, with Zephyr's or their own firmware, have a fixed
/// speed. Those of Realtek use H5 and a table of registers.
public enum SerialVendor: String, Hashable, Sendable, CaseIterable {
    /// Broadcom, Cypress and Infineon, including the controllers of the Raspberry Pi.
    case broadcom
    /// Texas Instruments: CC256x, WiLink.
    case ti
    /// Qualcomm and Atheros, ROME and later.
    case qualcomm
    /// Intel, controllers with a UART.
    case intel
    /// NXP and Marvell.
    case nxp
    /// ST Microelectronics and ST-Ericsson.
    case st

    /// Creates the vendor with this company identifier from Read Local Version Information (Vol 4,
    /// Part E, 7.4.1; Assigned Numbers, 7.1), or returns `nil` for any other.
    init?(company: UInt16) {
        switch company {
        case 0x000F, 0x0131, 0x0009: self = .broadcom
        case 0x000D: self = .ti
        case 0x001D, 0x0045: self = .qualcomm
        case 0x0002: self = .intel
        case 0x0025, 0x0048: self = .nxp
        case 0x0030: self = .st
        default: return nil
        }
    }
}
