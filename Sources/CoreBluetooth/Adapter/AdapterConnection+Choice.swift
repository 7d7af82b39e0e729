// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

extension AdapterConnection {
    /// The warning that the system has no adapter, and how to choose one.
    static let noAdapter =
        "No Bluetooth adapter was found, so the manager's state is unsupported. Name one in "
        + "LANYARD_ADAPTER (LANYARD_ADAPTER=virtual needs no hardware), in CBAdapter.default or in "
        + "CBManagerOptionAdapterKey; 'lanyard doctor' finds the reason"

    /// Connects the manager to an adapter as soon as the adapter is open.
    ///
    /// - Parameters:
    ///   - adapter: The adapter; `nil` if the system has none.
    ///   - join: Runs on the adapter's thread, as the manager's first command.
    ///   - fail: Called if there is no adapter, on the calling thread, or if the adapter cannot be
    ///     opened, on the thread that tried to open it.
    func open(
        _ adapter: CBAdapter?,
        _ join: @escaping Command,
        orElse fail: @escaping @Sendable () -> Void
    ) {
        guard let adapter else {
            Misuse.warn(Self.noAdapter)
            return fail()
        }
        open(adapter.usage, join, orElse: fail)
    }
}
