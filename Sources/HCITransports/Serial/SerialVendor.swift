// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Whose controllers can be told the speed of their UART by a command that its maker, or a driver in
/// the Linux kernel or BlueZ, has made public.
///
/// Others cannot: Nordic's and Espressif's with Zephyr's or their own firmware have their speed built
/// in, and Realtek's speak H5 and take a table of registers.
public enum SerialVendor: String, Hashable, Sendable, CaseIterable {
    /// Broadcom, Cypress and Infineon: those of the Raspberry Pi.
    case broadcom
    /// Texas Instruments: CC256x, WiLink.
    case ti
    /// Qualcomm and Atheros, ROME and later.
    case qualcomm
    /// Intel, those that are on a UART.
    case intel
    /// NXP and Marvell.
    case nxp
    /// ST Microelectronics and ST-Ericsson.
    case st

    /// The vendor with this company identifier, as Read Local Version Information tells it
    /// (Vol 4, Part E, 7.4.1; Assigned Numbers, 7.1); nil for all others.
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
