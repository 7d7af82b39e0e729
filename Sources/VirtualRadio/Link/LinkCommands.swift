// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands about a link that exists: each finds the end that it is about in the ether.
package enum LinkCommands {
    static let handlers: [CommandHandler] = []
}
