// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// State behind a lock, which any thread may read or change: the snapshot in an object of the API.
///
/// Like Apple's, the objects of the API are not Sendable, but applications read their properties on
/// any thread. The state is accessible only in the closures of `read` and `change`.
package final class LockedState<State>: Sendable {
    private let content: Lock<UncheckedValue<State>>

    package init(_ state: State) {
        content = Lock(UncheckedValue(value: state))
    }

    /// The current state.
    package var current: State { read { $0 } }

    /// Returns the result of `body` for the current state. `body` must not call the application.
    package func read<Value>(_ body: (State) -> Value) -> Value {
        content.withLock { UncheckedValue(value: body($0.value)) }.value
    }

    /// Changes the state with `body`. `body` must not call the application.
    @discardableResult
    package func change<Value>(_ body: (inout State) -> Value) -> Value {
        content.withLock { UncheckedValue(value: body(&$0.value)) }.value
    }
}

/// A value that passes through a lock.
struct UncheckedValue<Value>: @unchecked Sendable {
    // Unchecked, because a state may hold references. The state is accessed only under the lock.
    // Its references are to objects that have locks of their own, or to values that the application
    // passed with a call and no longer changes.
    var value: Value
}
