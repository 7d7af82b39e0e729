// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Reports the current state of an adapter and each change of it to all observers.
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
