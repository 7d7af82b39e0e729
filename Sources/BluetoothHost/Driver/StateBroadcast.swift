// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The observers of an adapter's state. Each one gets the current state and every change. The
/// streams finish with the state `closed`.
struct StateBroadcast {
    private var observers: [RequestIdentifier: AsyncStream<AdapterState>.Continuation] = [:]

    /// Adds an observer, which gets `current` at once.
    mutating func add(
        _ observer: AsyncStream<AdapterState>.Continuation,
        as identifier: RequestIdentifier,
        current: AdapterState
    ) {
        observer.yield(current)
        if current == .closed { observer.finish() } else { observers[identifier] = observer }
    }

    mutating func remove(_ identifier: RequestIdentifier) {
        observers[identifier] = nil
    }

    mutating func send(_ state: AdapterState) {
        for observer in observers.values { observer.yield(state) }
        guard state == .closed else { return }
        for observer in observers.values { observer.finish() }
        observers = [:]
    }
}
