// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A manager's place at its adapter: taken when the manager is made, or as soon as the adapter can be
/// opened; left when the manager is gone.
final class AdapterSeat: Sendable {
    typealias Command = @Sendable (isolated SharedAdapter) -> Void

    private struct State {
        var adapter: SharedAdapter?
        var isLeft = false
    }

    private let state = Mutex(State())

    /// The adapter; nil before it is open, or if there is none.
    var adapter: SharedAdapter? { state.withLock { $0.adapter } }

    /// Has the manager at its adapter from now on.
    func take(
        at adapter: CBAdapter?,
        _ join: @escaping Command,
        orElse fail: @escaping @Sendable () -> Void
    ) {
        guard let adapter else { return fail() }
        adapter.usage.whenOpen(adapter) { [self] shared in
            guard let shared else { return fail() }
            state.withLock { state in
                guard !state.isLeft else { return }
                state.adapter = shared
                shared.enter(join)
            }
        }
    }

    /// The manager is gone.
    func leave(_ part: @escaping Command) {
        let adapter = state.withLock { state in
            state.isLeft = true
            return state.adapter
        }
        adapter?.enter(part)
    }
}
