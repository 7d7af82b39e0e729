// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The permission for peers to begin a pairing through the Bluetooth daemon, for some time. A host
/// has a pairing window of its own.
final class PairingPermission: Sendable {
    private enum State: Sendable {
        case closed
        case open(until: ContinuousClock.Instant?)
    }

    private let state = Mutex(State.closed)

    /// Permits pairings for some time, or, with `nil`, without a limit.
    func open(for duration: Duration?, now: ContinuousClock.Instant = .now) {
        state.withLock { $0 = .open(until: duration.map { now + $0 }) }
    }

    /// Returns whether a peer may begin a pairing at a time.
    func isOpen(at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            switch state {
            case .closed: false
            case .open(let end): end.map { now < $0 } ?? true
            }
        }
    }
}
