// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Logging

/// The host of an adapter, and all that it needs to live.
struct AdapterSurroundings: Sendable {
    let host: BluetoothHost

    /// Nil if there is no such adapter.
    init?(_ adapter: CBAdapter, switches: Guarded<AdapterSwitches>) {
        switch adapter.source {
        case .named(let name):
            guard let specification = try? AdapterSpecification(name) else {
                Misuse.warn("\(name) is no adapter")
                return nil
            }
            host = BluetoothHost(
                transport: specification.makeTransport(),
                configuration: HostConfiguration()
            )
        case .made(let adapter):
            host = BluetoothHost(
                transport: adapter.transport,
                configuration: adapter.configuration,
                executor: adapter.executor
            )
        }
    }

    func end() {}
}
