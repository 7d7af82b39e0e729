// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP

@testable import BluetoothHost

extension BluetoothHost {
    /// Adds a bond, which replaces an earlier one with the same peer.
    func addBond(_ bond: Bond) {
        core.keepBond(bond, now: executor.now)
        drain()
    }
}
