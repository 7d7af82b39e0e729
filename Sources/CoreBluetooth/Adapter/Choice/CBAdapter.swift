// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import BluetoothPort
import BluetoothRadios
import CoreBluetoothEnumerations
import Foundation
import HCITransports
import VirtualAdapters

/// The Bluetooth controller that managers use. On an iPhone the system chooses it.
///
/// Most code needs only the default: the value of `CBAdapter.default`, or else the adapter that the
/// environment variable `LANYARD_ADAPTER` names, or else the first available adapter of this
/// computer (`CBAdapter.ofSystem`). Without an adapter, the state of every manager is
/// `unsupported`.
///
/// ```swift
/// CBAdapter.default = .virtual  // before the first manager is made
/// let central = CBCentralManager(delegate: self, queue: nil)
/// ```
///
/// To give one manager another adapter, use `options: [CBManagerOptionAdapterKey: adapter]`. All
/// managers of a process with the same adapter share it, with its scans, links and services.
///
/// Not part of Apple's framework: put code that uses it under `#if os(Linux)`.
public struct CBAdapter: Hashable, Sendable, CustomStringConvertible {
    enum Source: Hashable, Sendable {
        case named(String)
        /// An adapter that a caller made from transports. Equal only to itself.
        case made(AdapterUsage)
    }

    let source: Source

    /// The settings and the open adapter, which all managers of the process on this adapter share.
    var usage: AdapterUsage {
        switch source {
        case .made(let usage): usage
        case .named(let name):
            Self.named.withLock { named in
                let usage = named[name] ?? Self.makeUsage(of: name)
                named[name] = usage
                return usage
            }
        }
    }

    private static func makeUsage(of name: String) -> AdapterUsage {
        AdapterUsage(name, defaultName: { DefaultDeviceName.standard() }) { usage in
            AdapterEnvironment(name, usage).map { $0.opened }
        }
    }

    /// The adapters that are known by name. Each exists once in the process.
    private static let named = Lock<[String: AdapterUsage]>([:])

    /// Creates an adapter from its name: `virtual`, `virtual:SCENARIO`, `hci0`,
    /// `hci:AA:BB:CC:DD:EE:FF`, `tcp:HOST:PORT`, `unix:PATH`, `gateway:HOST:PORT`,
    /// `serial:DEVICE@SPEED`, or `bluez` or `bluez:hci1` for the system's Bluetooth daemon, which
    /// other programs use at the same time. The name is checked when a manager is made. If it names
    /// no adapter, the manager's state is `unsupported`.
    ///
    /// Several names with `+` between them, such as `hci0+tcp:192.0.2.1:9000`, make one adapter of
    /// several controllers. They have the identity and the bonds of the first.
    public init(_ name: String) {
        source = .named(name)
    }

    /// Creates an adapter on a transport of the caller.
    package init(
        transport: any HCITransport,
        executor: (any HostExecutor)? = nil,
        configuration: HostConfiguration = HostConfiguration()
    ) {
        self.init(
            AdapterUsage(transport: transport, executor: executor, configuration: configuration)
        )
    }

    /// Creates one adapter from several controllers, whose hosts have one identity.
    ///
    /// - Parameters:
    ///   - radios: The connections to the controllers.
    ///   - executor: The executor of all hosts.
    ///   - configuration: The configuration of all hosts.
    ///   - adjust: Changes the configuration of the host with this number.
    ///   - made: Called with the port each time that the adapter is opened.
    package init(
        radios: [any HCITransport],
        executor: any HostExecutor,
        configuration: HostConfiguration = HostConfiguration(),
        adjust: @escaping @Sendable (Int, inout HostConfiguration) -> Void = { _, _ in },
        made: @escaping @Sendable (CompositeAdapter) -> Void = { _ in }
    ) {
        let names = radios.map(\.name).joined(separator: "+")
        let name = configuration.name
        let usage = AdapterUsage(names, defaultName: { name }) { usage in
            let adapter = CompositeAdapter(
                radios,
                configuration: configuration.forClients(of: usage),
                executor: executor,
                adjust: adjust
            )
            made(adapter)
            return OpenedPort(adapter)
        }
        self.init(usage)
    }

    /// Creates an adapter from its settings and its open adapter.
    package init(_ usage: AdapterUsage) {
        source = .made(usage)
    }

    /// A virtual controller in this process, on its own virtual radio with example accessories.
    public static let virtual = CBAdapter("virtual")

    /// The computer's adapter that is used by default; `nil` if there is none. It is the first of
    /// these that exists:
    ///
    /// 1. If the process has the permission to take adapters, an adapter that supports LE and is
    ///    not in use, or else one on which bluetoothd has no links.
    /// 2. The system's Bluetooth daemon (`bluez`), if bluetoothd runs and has turned an adapter on.
    /// 3. An adapter that the process may not take, so that the managers' state shows the reason.
    ///
    /// Once found, the adapter stays the same until the process ends.
    public static var ofSystem: CBAdapter? {
        found.withLock { found in
            // The result is kept: a later search would find the adapter in use by this process.
            found = found ?? AdapterChoice.ofApplications().map { CBAdapter($0.description) }
            return found
        }
    }

    private static let found = Lock<CBAdapter?>(nil)
    private static let chosen = Lock<CBAdapter?>(nil)

    /// The adapter of managers whose options name none; `nil` if there is none. Setting it does not
    /// affect existing managers.
    public static var `default`: CBAdapter? {
        get {
            chosen.withLock { $0 }
                ?? ProcessInfo.processInfo.environment["LANYARD_ADAPTER"].map { CBAdapter($0) }
                ?? ofSystem
        }
        set {
            // The former value is released after the lock: its transport may be the app's
            // object.
            _ = chosen.withLock { chosen in
                defer { chosen = newValue }
                return chosen
            }
        }
    }

    /// The adapter's name.
    public var description: String {
        switch source {
        case .named(let name): name
        case .made(let usage): usage.name
        }
    }
}

/// The key of the adapter in a manager's options. The value is a `CBAdapter`, or a `String` with
/// its name.
public let CBManagerOptionAdapterKey = "LanyardManagerOptionAdapter"
