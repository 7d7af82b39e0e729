// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothClients
import BluetoothHost
import BluetoothPort
import BluetoothRadios
import DBus
import Foundation
import HCITransports
import VirtualAdapters

/// The port of an adapter, with the resources that the port needs.
struct AdapterEnvironment: Sendable {
    let port: any BluetoothPort
    /// The transport and the executor of a single adapter; `nil` for several adapters and for the
    /// daemon.
    private var access: AdapterAccess?
    /// The executor of several adapters that work as one; `nil` otherwise.
    private var executor: AdapterExecutor?

    /// Creates the port of an adapter with a name. Logs a warning and returns `nil` if there is no
    /// such adapter, or if the daemon's bus cannot be used.
    init?(_ name: String, _ usage: AdapterUsage) {
        switch try? AdapterChoice(name) {
        case .radios(let list): self.init(list, usage)
        case .daemon(let adapterName):
            guard let port = Self.daemonPort(adapterName, usage.switches) else { return nil }
            self.init(port: port)
        default:
            guard let access = Self.access(to: name) else { return nil }
            self.init(access, name, usage)
        }
    }

    /// The port, with a closure that releases its resources.
    var opened: OpenedPort { OpenedPort(port) { end() } }

    private init(port: any BluetoothPort) {
        self.port = port
    }

    private init(
        _ access: AdapterAccess,
        _ adapterName: String,
        _ usage: AdapterUsage
    ) {
        let configuration = Self.configuration(adapterName, usage)
        self.access = access
        port = HostAdapter(
            BluetoothHost(
                transport: access.transport,
                configuration: configuration,
                executor: access.executor
            )
        )
    }

    /// Creates one adapter from several. All of them use the store of the first, so that they have
    /// the same bonds.
    private init(_ adapters: [AdapterSpecification], _ usage: AdapterUsage) {
        let executor = AdapterExecutor()
        self.executor = executor
        port = CompositeAdapter(
            adapters.map { $0.makeTransport() },
            configuration: Self.configuration(adapters[0].description, usage),
            executor: executor
        )
    }

    private static func configuration(
        _ adapterName: String,
        _ usage: AdapterUsage
    ) -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.store = AdapterStore.open(for: adapterName)
        // Like Apple's devices, hosts use private addresses when they advertise and scan, so that
        // they cannot be tracked.
        configuration.privacy = .on
        return configuration.forClients(of: usage)
    }

    /// The name of the store that all adapters of the daemon share, so that a peer has the same
    /// identifier on each of them.
    private static let daemonStoreName = "bluez"

    /// Creates the port of the system's Bluetooth daemon. Logs a warning and returns `nil` if the
    /// environment names a bus that cannot be used.
    private static func daemonPort(
        _ adapterName: String?,
        _ switches: LockedState<AdapterSwitches>,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> (any BluetoothPort)? {
        guard let address = DBusAddress.system(in: environment) else {
            let variable = DBusAddress.systemVariable
            Misuse.warn("\(variable) names no Unix socket: use unix:path=PATH")
            return nil
        }
        let store = AdapterStore.open(for: daemonStoreName, environment: environment)
        return BlueZAdapter(
            bus: address,
            adapterName: adapterName,
            store: store,
            pairingDelegate: DaemonConsent(switches)
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
        executor?.shutDown()
    }
}
