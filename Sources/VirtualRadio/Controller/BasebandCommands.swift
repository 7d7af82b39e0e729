// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Controller & Baseband commands (Vol 4, Part E, 7.3), and the LE masks.
package enum BasebandCommands {
    static let handlers: [CommandHandler] = []
}
