// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands that tell who the controller is and what it can do.
package enum InformationCommands {
    static let handlers: [CommandHandler] = []
}
