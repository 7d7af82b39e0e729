// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothPort
import HCITransports
import VirtualAdapters

/// The port of an adapter, with the resources that the port needs.
struct AdapterEnvironment: Sendable {
    let port: any BluetoothPort
    /// The access to an adapter that was chosen by name.
    private var access: AdapterAccess?

    /// Makes the port of an adapter. Logs a warning and returns `nil` if there is no such adapter.
    init?(_ adapter: CBAdapter, switches: LockedState<AdapterSwitches>) {
        switch adapter.source {
        case .named(let name):
            guard let access = Self.access(to: name) else { return nil }
            self.init(access, name, adapter.name, switches)
        case .made(let made): self.init(port: made.makePort(adapter.name, switches))
        }
    }

    private init(port: any BluetoothPort) {
        self.port = port
    }

    private init(
        _ access: AdapterAccess,
        _ adapterName: String,
        _ name: String,
        _ switches: LockedState<AdapterSwitches>
    ) {
        var configuration = HostConfiguration()
        configuration.name = name
        configuration.store = AdapterStore.open(for: adapterName)
        configuration.pairAsApplicationsExpect(switches)
        // Like Apple's devices, hosts use private addresses when they advertise and scan, so that
        // they cannot be tracked.
        configuration.privacy = .on
        self.access = access
        port = HostAdapter(
            BluetoothHost(
                transport: access.transport,
                configuration: configuration,
                executor: access.executor
            )
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

    /// Releases the port's resources, after the port was shut down. Must not be called on the
    /// adapter's thread, which may end here.
    func end() {
        access?.end()
    }
}
