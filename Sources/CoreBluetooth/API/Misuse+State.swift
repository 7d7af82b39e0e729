// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetoothEnumerations

extension Misuse {
    /// Returns the name of a state, as log lines show it.
    static func text(_ state: CBPeripheralState) -> String {
        switch state {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        @unknown default: "(\(state.rawValue))"
        }
    }
}
