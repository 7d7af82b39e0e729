// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// State that any thread may read, and that one thread at a time changes: an object's mirror.
///
/// The objects of the API are not Sendable, since Apple's are not; yet their properties are read
/// from wherever an application likes. Their state hides behind a lock and is seen only while one
/// of the two closures runs.
final class Guarded<State>: Sendable {
    private let content: Mutex<Unguarded<State>>

    init(_ state: State) {
        content = Mutex(Unguarded(value: state))
    }

    /// The state as it is.
    var current: State { read { $0 } }

    /// What `body` makes of the state as it is; `body` must not call out.
    func read<Value>(_ body: (State) -> Value) -> Value {
        content.withLock { Unguarded(value: body($0.value)) }.value
    }

    /// Lets `body` change the state; `body` must not call out.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        content.withLock { Unguarded(value: body(&$0.value)) }.value
    }
}

/// What goes in and out of a lock.
struct Unguarded<Value>: @unchecked Sendable {
    // Unchecked, since a state may hold references. The state itself is only touched under the
    // lock, and what it refers to are objects that guard themselves in the same way, or values that
    // the application has given away with the call.
    var value: Value
}
