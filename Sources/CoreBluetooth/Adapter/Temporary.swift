// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import HCITransports

extension HostExecutor {
    func beginOutsideWork() {}
    func endOutsideWork() {}
}
