// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetoothEnumerations
import Foundation
import HCITransports
import Synchronization
import VirtualAdapters

/// Which Bluetooth controller managers use: the one thing that Linux has to be told and an iPhone not.
///
/// Code that is happy with the default never mentions it. The default is what `CBAdapter.default` was
/// set to, or else what the environment variable `LANYARD_ADAPTER` says, or else the first adapter of this
/// computer that may be taken (`CBAdapter.ofSystem`). Where there is none, the state of every manager is
/// `unsupported`.
///
/// ```swift
/// CBAdapter.default = .virtual  // before the first manager is made
/// let central = CBCentralManager(delegate: self, queue: nil)
/// ```
///
/// One manager may have another adapter than the rest: `options: [CBManagerOptionAdapterKey: adapter]`.
/// All managers of a process with the same adapter share it: its scans, its links, its services.
///
/// Not part of Apple's framework: keep what uses it under `#if os(Linux)`.
public struct CBAdapter: Hashable, Sendable, CustomStringConvertible {
    enum Source: Hashable, Sendable {
        case named(String)
        case made(MadeAdapter)
    }

    let source: Source

    /// The adapter that a text names: `virtual`, `virtual:SCENARIO`, `hci0`, `hci:AA:BB:CC:DD:EE:FF`,
    /// `tcp:HOST:PORT`, `unix:PATH` or `serial:DEVICE@SPEED`. A text that names none is found out when a
    /// manager is made: its state is `unsupported` then.
    public init(_ name: String) {
        source = .named(name)
    }

    /// An adapter on a transport of the caller's own.
    package init(
        transport: any HCITransport,
        executor: (any HostExecutor)? = nil,
        configuration: HostConfiguration = HostConfiguration()
    ) {
        source = .made(MadeAdapter(transport, executor, configuration))
    }

    /// A controller in a world of its own within the process, with example accessories around it.
    public static let virtual = CBAdapter("virtual")

    /// The adapter of this computer that is used where nobody says which: one that does Low Energy, and that
    /// nobody uses, or else one that can be had from a daemon without ending its links. Nil if there is
    /// none. The one that is found first is it for as long as the process lives.
    public static var ofSystem: CBAdapter? {
        found.withLock { found in
            // Looked for once: who has taken it finds it in use.
            found = found ?? AdapterChoice.ofSystem().map { CBAdapter($0.description) }
            return found
        }
    }

    private static let found = Mutex<CBAdapter?>(nil)
    private static let chosen = Mutex<CBAdapter?>(nil)

    /// What managers use whose options name no adapter; nil if there is none. Managers that are there
    /// already keep what they have.
    public static var `default`: CBAdapter? {
        get {
            chosen.withLock { $0 }
                ?? ProcessInfo.processInfo.environment["LANYARD_ADAPTER"].map { CBAdapter($0) }
                ?? ofSystem
        }
        set {
            // What it was is let go of after the lock: a transport may be the application's own.
            _ = chosen.withLock { chosen in
                defer { chosen = newValue }
                return chosen
            }
        }
    }

    /// The text that names it.
    public var description: String {
        switch source {
        case .named(let name): name
        case .made(let adapter): adapter.transport.name
        }
    }
}

/// The key of a manager's options for the adapter that it is to use: a `CBAdapter`, or the text that
/// names one.
public let CBManagerOptionAdapterKey = "LanyardManagerOptionAdapter"

/// An adapter that was made by the caller; it is itself and no other.
final class MadeAdapter: Hashable, Sendable {
    let transport: any HCITransport
    let executor: (any HostExecutor)?
    let configuration: HostConfiguration
    /// It is in nobody's list: what it is used for ends with it.
    let usage = AdapterUsage()

    init(
        _ transport: any HCITransport,
        _ executor: (any HostExecutor)?,
        _ configuration: HostConfiguration
    ) {
        self.transport = transport
        self.executor = executor
        self.configuration = configuration
    }

    static func == (left: MadeAdapter, right: MadeAdapter) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
