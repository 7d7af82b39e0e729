// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothPort
import HCITransports

extension AdapterUsage {
    /// Creates the use of an adapter that is reached through the caller's transport.
    ///
    /// - Parameters:
    ///   - transport: The connection to the controller.
    ///   - executor: The executor of the host; `nil` for a thread of its own.
    ///   - configuration: The configuration of the host, with the device name.
    package convenience init(
        transport: any HCITransport,
        executor: (any HostExecutor)? = nil,
        configuration: HostConfiguration = HostConfiguration()
    ) {
        self.init(transport.name, defaultName: { [name = configuration.name] in name }) { usage in
            let host = BluetoothHost(
                transport: transport,
                configuration: configuration.forClients(of: usage),
                executor: executor
            )
            return OpenedPort(HostAdapter(host))
        }
    }
}

extension HostConfiguration {
    /// Returns the configuration with the device name and the pairing policy of an adapter's
    /// clients.
    package func forClients(of usage: AdapterUsage) -> HostConfiguration {
        var configuration = self
        configuration.name = usage.deviceName
        configuration.pairAsApplicationsExpect(usage.switches)
        return configuration
    }
}
