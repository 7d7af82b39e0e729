// SPDX-License-Identifier: Apache-2.0

/// Tells every observer of an adapter's state what it is now, and each change.
struct StateBroadcast {
    private var observers: [UInt64: AsyncStream<AdapterState>.Continuation] = [:]
    private var lastObserver: UInt64 = 0

    /// Adds an observer, who hears `current` at once; the number names it for `remove`.
    mutating func add(
        _ observer: AsyncStream<AdapterState>.Continuation,
        current: AdapterState
    ) -> UInt64 {
        lastObserver += 1
        observer.yield(current)
        if current == .closed { observer.finish() } else { observers[lastObserver] = observer }
        return lastObserver
    }

    mutating func remove(_ observer: UInt64) {
        observers[observer] = nil
    }

    mutating func send(_ state: AdapterState) {
        for observer in observers.values { observer.yield(state) }
        guard state == .closed else { return }
        for observer in observers.values { observer.finish() }
        observers = [:]
    }
}
