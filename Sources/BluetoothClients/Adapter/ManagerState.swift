// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The state of an adapter for its clients. The numbers are those of Core Bluetooth.
package enum ManagerState: Int, Sendable {
    case unknown = 0
    /// The connection to the controller was lost for a moment.
    case resetting = 1
    case unsupported = 2
    case unauthorized = 3
    case poweredOff = 4
    case poweredOn = 5
}
