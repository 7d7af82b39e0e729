// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports

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
            var configuration = HostConfiguration()
            configuration.store = AdapterStore.open(for: name)
            configuration.pairAsApplicationsExpect(switches)
            host = BluetoothHost(
                transport: specification.makeTransport(),
                configuration: configuration
            )
        case .made(let adapter):
            var configuration = adapter.configuration
            configuration.pairAsApplicationsExpect(switches)
            host = BluetoothHost(
                transport: adapter.transport,
                configuration: configuration,
                executor: adapter.executor
            )
        }
    }

    func end() {}
}
