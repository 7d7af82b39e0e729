// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetooth

extension RealTimeWorld {
    /// Adds a device on which an app runs.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - distance: The distance from the origin.
    ///   - hasPrivateAddress: Whether the device uses private addresses that change, as real phones
    ///     do. Only bonded devices can resolve these addresses.
    /// - Returns: The adapter for the app's managers, as the value of
    ///   `CBManagerOptionAdapterKey` or of `CBAdapter.default`.
    public func addDevice(
        _ name: String,
        at distance: Distance = .meters(0),
        hasPrivateAddress: Bool = false
    ) async -> CBAdapter {
        let usage = await makeDevice(name, at: distance, hasPrivateAddress: hasPrivateAddress)
        return CBAdapter(usage)
    }
}
