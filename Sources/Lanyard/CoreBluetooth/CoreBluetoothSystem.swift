// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// The Bluetooth of the system, used through a module named CoreBluetooth: Apple's framework, or
/// the module of this package on Linux.
package struct CoreBluetoothSystem: AccessorySystem {
    #if os(Linux)
        /// The Bluetooth controller; `nil` for the default one.
        var adapter: CBAdapter?

        package init(adapter: CBAdapter? = nil) {
            self.adapter = adapter
        }
    #endif

    package func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral {
        var options = managerOptions
        options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier
        return CoreBluetoothCentral { [options] central in
            CBCentralManager(delegate: central, queue: queue, options: options)
        }
    }

    package func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer {
        var options = managerOptions
        options[CBPeripheralManagerOptionRestoreIdentifierKey] = restoreIdentifier
        return CoreBluetoothServer { [options] server in
            CBPeripheralManager(delegate: server, queue: queue, options: options)
        }
    }

    /// The options of every manager.
    private var managerOptions: [String: any Sendable] {
        #if os(Linux)
            if let adapter { return [CBManagerOptionAdapterKey: adapter] }
        #endif
        return [:]
    }
}
