// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Whom advertiser, scanner and initiator care for, where they are asked to be choosy
/// (Vol 6, Part B, 4.3.1).
package struct FilterAcceptList: Sendable {
    /// How many devices there may be.
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the device, or whoever is behind its address, is in the list. `address` is the
    /// identity address where one was resolved.
    package func contains(_ address: DeviceAddress) -> Bool { false }

    /// The commands of the list (Vol 4, Part E, 7.8.14 to 7.8.17).
    static let handlers: [CommandHandler] = []
}
