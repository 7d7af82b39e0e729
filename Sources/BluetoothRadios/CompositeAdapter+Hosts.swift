// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports

extension CompositeAdapter {
    /// Creates one adapter from several controllers, each with a host of its own. The hosts share
    /// the store of the configuration, and with it identity, bonds and databases.
    ///
    /// - Parameters:
    ///   - transports: The connections to 1 to `AdapterSpecification.listLimit` controllers.
    ///   - configuration: The configuration of all hosts.
    ///   - executor: The executor of all hosts, which suits all transports.
    ///   - rules: The rules that choose the radio of each link.
    ///   - adjust: A closure that changes the configuration of the host with this number.
    package convenience init(
        _ transports: [any HCITransport],
        configuration: HostConfiguration,
        executor: any HostExecutor,
        rules: RadioRules = RadioRules(),
        adjust: (Int, inout HostConfiguration) -> Void = { _, _ in }
    ) {
        let store = SharedStore(configuration.store)
        let radios = transports.enumerated().map { index, transport in
            var configuration = configuration
            configuration.store = store.makeMember()
            configuration.supervisionTimeoutLimit = rules.supervisionTimeout
            adjust(index, &configuration)
            let host = BluetoothHost(
                transport: transport,
                configuration: configuration,
                executor: executor
            )
            let port = HostAdapter(host, supervisionTimeout: rules.supervisionTimeout)
            return Radio(name: transport.name, port: port)
        }
        self.init(radios, rules: rules)
    }
}
