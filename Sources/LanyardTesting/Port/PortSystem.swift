// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Dispatch
import Lanyard

/// The Bluetooth of a device as an `AccessorySystem`, directly on its adapter's port.
///
/// It uses the same clients of the adapter as the module CoreBluetooth, and none of its objects, so
/// that it runs on every platform.
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
