// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Dispatch
import Lanyard

/// The Bluetooth of a virtual device, as an `AccessorySystem`.
///
/// It uses the device's adapter through the module BluetoothClients, as the module CoreBluetooth
/// does. It uses no object of CoreBluetooth, so it runs on every platform.
struct PortSystem: AccessorySystem {
    /// The adapter of the device.
    let usage: AdapterUsage

    func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral {
        PortCentral(usage, restoring: restoreIdentifier, on: queue)
    }

    func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer {
        PortServer(usage, restoring: restoreIdentifier, on: queue)
    }
}
