// SPDX-License-Identifier: Apache-2.0

/// An observer that calls a closure with the current state of an accessory and then with every
/// change, until it ends.
final class ObservationBridge: Sendable {
    private struct Parts {
        var body: (@Sendable (AccessoryChange) -> Void)?
        var observation: ObservationToken?
    }

    private let parts: Locked<Parts>

    init(_ body: @escaping @Sendable (AccessoryChange) -> Void) {
        parts = Locked(Parts(body: body))
    }

    /// Starts the observation. Runs on the queue that delivers changes, so no change is missed.
    func begin(_ snapshot: AccessorySnapshot) {
        guard let body = parts.change({ $0.body }) else { return }
        body(snapshot.change)
        let observation = snapshot.changes.observe { [weak self] change in
            self?.parts.change { $0.body }?(change)
        }
        let isOver = parts.change { parts in
            if parts.body != nil { parts.observation = observation }
            return parts.body == nil
        }
        if isOver { observation.cancel() }
    }

    /// Ends the observation and releases the closure.
    func end() {
        let former = parts.change { parts in
            defer { parts = Parts() }
            return parts
        }
        former.observation?.cancel()
    }
}
