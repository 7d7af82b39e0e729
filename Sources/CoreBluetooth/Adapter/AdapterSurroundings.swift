// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import VirtualAdapters

/// The host of an adapter, and all that it needs to live.
struct AdapterSurroundings: Sendable {
    let host: BluetoothHost
    /// The way to an adapter that was chosen by its name.
    private var access: AdapterAccess?

    /// Nil if there is no such adapter, which is said.
    init?(_ adapter: CBAdapter, switches: Guarded<AdapterSwitches>) {
        switch adapter.source {
        case .named(let name):
            guard let access = Self.access(to: name) else { return nil }
            self.init(access, name, switches)
        case .made(let adapter): self.init(adapter, switches)
        }
    }

    private init(
        _ access: AdapterAccess,
        _ name: String,
        _ switches: Guarded<AdapterSwitches>
    ) {
        var configuration = HostConfiguration()
        configuration.store = AdapterStore.open(for: name)
        configuration.pairAsApplicationsExpect(switches)
        // As Apple's devices: what is advertised, and who scans, is not to be followed about.
        configuration.privacy = .on
        self.access = access
        host = BluetoothHost(
            transport: access.transport,
            configuration: configuration,
            executor: access.executor
        )
    }

    private init(_ adapter: MadeAdapter, _ switches: Guarded<AdapterSwitches>) {
        var configuration = adapter.configuration
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

    /// Lets go of what the host needed, after it. Not on the adapter's own thread.
    func end() {
        access?.end()
    }
}
