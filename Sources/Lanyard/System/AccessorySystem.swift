// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The Bluetooth of the system, as this library uses it. Its requests and events are values.
///
/// `CoreBluetoothSystem` implements it with a module that is called CoreBluetooth. Only the files
/// in its folder use that module's types. `LanyardTesting` implements the protocol on the port of a
/// virtual adapter.
package protocol AccessorySystem: Sendable {
    /// Creates a central. It does nothing before `SystemCentral.begin`.
    ///
    /// - Parameters:
    ///   - restoreIdentifier: The identifier by which the system preserves the links and the scan
    ///     when the app ends; `nil` for no restoration.
    ///   - queue: The queue of all calls and events.
    func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral
    /// Creates a server. It does nothing before `SystemServer.begin`.
    ///
    /// - Parameters:
    ///   - restoreIdentifier: The identifier by which the system preserves the services and the
    ///     advertising when the app ends; `nil` for no restoration.
    ///   - queue: The queue of all calls and events.
    func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer
}

/// The system of the platform.
enum DefaultSystem {
    static func make() -> any AccessorySystem {
        // A build on Linux without the targets that exist only there (`LANYARD_PORTABLE` in
        // `Package.swift`) has no such module.
        #if canImport(CoreBluetooth)
            CoreBluetoothSystem()
        #else
            UnavailableSystem()
        #endif
    }
}
