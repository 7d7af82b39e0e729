// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import VirtualAdapters

/// The host of an adapter, with the resources that the host needs.
struct AdapterEnvironment: Sendable {
    let host: BluetoothHost
    /// The access to an adapter that was chosen by name.
    private var access: AdapterAccess?

    /// Makes the host of an adapter. Logs a warning and returns `nil` if there is no such adapter.
    init?(_ adapter: CBAdapter, switches: Guarded<AdapterSwitches>) {
        switch adapter.source {
        case .named(let name):
            guard let access = Self.access(to: name) else { return nil }
            self.init(access, name, adapter.name, switches)
        case .made(let made): self.init(made, adapter.name, switches)
        }
    }

    private init(
        _ access: AdapterAccess,
        _ adapterName: String,
        _ name: String,
        _ switches: Guarded<AdapterSwitches>
    ) {
        var configuration = HostConfiguration()
        configuration.name = name
        configuration.store = AdapterStore.open(for: adapterName)
        configuration.pairAsApplicationsExpect(switches)
        // Like Apple's devices, hosts use private addresses when they advertise and scan, so that
        // they cannot be tracked.
        configuration.privacy = .on
        self.access = access
        host = BluetoothHost(
            transport: access.transport,
            configuration: configuration,
            executor: access.executor
        )
    }

    private init(
        _ adapter: MadeAdapter,
        _ name: String,
        _ switches: Guarded<AdapterSwitches>
    ) {
        var configuration = adapter.configuration
        configuration.name = name
        configuration.pairAsApplicationsExpect(switches)
        host = BluetoothHost(
            transport: adapter.transport,
            configuration: configuration,
            executor: adapter.executor
        )
    }

    private static func access(to name: String) -> AdapterAccess? {
        do throws(AdapterChoiceError) {
            return try AdapterChoice(name).makeAccess()
        } catch {
            Misuse.warn("\(error)")
            return nil
        }
    }

    /// Releases the host's resources, after the host was shut down. Must not be called on the
    /// adapter's thread, which may end here.
    func end() {
        access?.end()
    }
}
