// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// A manager's connection to its adapter. It begins as soon as the adapter is open, and ends when
/// the manager is released.
package final class AdapterConnection: Sendable {
    package typealias Command = @Sendable (isolated SharedAdapter) -> Void

    private struct State {
        var adapter: SharedAdapter?
        var hasLeft = false
    }

    private let state = Lock(State())

    package init() {}

    /// The adapter; `nil` before it is open, and if there is none.
    package var adapter: SharedAdapter? { state.withLock { $0.adapter } }

    /// Whether the manager has left the adapter.
    package var hasLeft: Bool { state.withLock(\.hasLeft) }

    /// Joins the adapter as soon as it is open.
    ///
    /// - Parameters:
    ///   - usage: The adapter. It is opened if it is not open.
    ///   - join: Runs on the adapter's thread, as the manager's first command. Does not run if the
    ///     manager left before the adapter was open.
    ///   - fail: Called if the adapter cannot be opened, on the thread that tried to open it.
    package func open(
        _ usage: AdapterUsage,
        _ join: @escaping Command,
        orElse fail: @escaping @Sendable () -> Void
    ) {
        usage.whenOpen { [self] shared in
            guard let shared else { return fail() }
            state.withLock { state in
                guard !state.hasLeft else { return }
                state.adapter = shared
                shared.execute(join)
            }
        }
    }

    /// Leaves the adapter. Called when the manager is released.
    ///
    /// - Parameter command: Runs on the adapter's thread, as the manager's last command.
    package func leave(_ command: @escaping Command) {
        let adapter = state.withLock { state in
            state.hasLeft = true
            return state.adapter
        }
        adapter?.execute(command)
    }
}
