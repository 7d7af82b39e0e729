// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A manager's connection to its adapter. It begins when the manager is made, or as soon as the
/// adapter is open, and ends when the manager is released.
final class AdapterConnection: Sendable {
    typealias Command = @Sendable (isolated SharedAdapter) -> Void

    private struct State {
        var adapter: SharedAdapter?
        var hasLeft = false
    }

    private let state = Mutex(State())

    /// The adapter. `nil` before it is open, and if there is none.
    var adapter: SharedAdapter? { state.withLock { $0.adapter } }

    /// The warning that the system has no adapter, and how to choose one.
    static let noAdapter =
        "No Bluetooth adapter was found, so the manager's state is unsupported. Name one in "
        + "LANYARD_ADAPTER (LANYARD_ADAPTER=virtual needs no hardware), in CBAdapter.default or in "
        + "CBManagerOptionAdapterKey; 'lanyard doctor' finds the reason"

    /// Joins the adapter as soon as it is open.
    ///
    /// - Parameters:
    ///   - adapter: The adapter. `nil` if the system has none.
    ///   - join: Runs on the adapter's thread, as the manager's first command. Does not run if the
    ///     manager left before the adapter was open.
    ///   - fail: Called if the adapter cannot be opened, on the thread that tried to open it.
    func open(
        _ adapter: CBAdapter?,
        _ join: @escaping Command,
        orElse fail: @escaping @Sendable () -> Void
    ) {
        guard let adapter else {
            Misuse.warn(Self.noAdapter)
            return fail()
        }
        adapter.usage.whenOpen(adapter) { [self] shared in
            guard let shared else { return fail() }
            state.withLock { state in
                guard !state.hasLeft else { return }
                state.adapter = shared
                shared.enter(join)
            }
        }
    }

    /// Leaves the adapter. Called when the manager is released.
    ///
    /// - Parameter command: Runs on the adapter's thread, as the manager's last command.
    func leave(_ command: @escaping Command) {
        let adapter = state.withLock { state in
            state.hasLeft = true
            return state.adapter
        }
        adapter?.enter(command)
    }
}
