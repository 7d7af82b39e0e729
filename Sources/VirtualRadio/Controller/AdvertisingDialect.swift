// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Which of the two families of advertising, scanning and initiating commands a host speaks. Once
/// it has used one, the other is refused until Reset (Vol 4, Part E, 3.1.1).
package enum AdvertisingDialect: Sendable {
    /// The commands of Bluetooth 4.0.
    case legacy
    /// The commands that came with extended advertising.
    case extended
}

extension VirtualController {
    /// Does a command of the dialect, which is the host's from here on if it is not refused. Throws
    /// Command Disallowed if the host has spoken the other one.
    mutating func speaking(
        _ dialect: AdvertisingDialect,
        _ body: (inout VirtualController) throws(HCI.ErrorCode) -> Void
    ) throws(HCI.ErrorCode) {
        guard settings.advertisingDialect ?? dialect == dialect else { throw .commandDisallowed }
        try body(&self)
        settings.advertisingDialect = dialect
    }
}
