// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The connection requests whose start delay has not ended:
/// `CBConnectPeripheralOptionStartDelayKey`.
///
/// A manager has at most one for a peer. A canceled request remains until its delay ends.
/// `CentralCore` then ignores it.
struct ConnectDelays: Sendable {
    /// A manager's connection request for a peer.
    struct Wish: Hashable, Sendable {
        let session: SessionIdentifier
        let peer: PeerIdentifier
        let number: WishNumber
    }

    private var waiting: [(wish: Wish, due: Instant)] = []

    /// The time at which the next delay ends. `nil` if there is none.
    var next: Instant? { waiting.map(\.due).min() }

    /// Sets the time at which a request's delay ends. `nil` for no delay. Replaces the delay of an
    /// earlier request of the manager for the peer.
    mutating func set(_ wish: Wish, due: Instant?) {
        waiting.removeAll { $0.wish.session == wish.session && $0.wish.peer == wish.peer }
        if let due { waiting.append((wish, due)) }
    }

    /// Removes the delays of a manager that was released.
    mutating func remove(_ session: SessionIdentifier) {
        waiting.removeAll { $0.wish.session == session }
    }

    /// Removes and returns the requests whose delay has ended, ordered by time.
    mutating func takeDue(at now: Instant) -> [Wish] {
        let due = waiting.filter { $0.due <= now }.sorted { $0.due < $1.due }
        waiting.removeAll { $0.due <= now }
        return due.map(\.wish)
    }
}

extension SharedAdapter {
    /// Sets the start delay of a connection request.
    func deferWish(
        _ number: WishNumber,
        of session: SessionIdentifier,
        for peer: PeerIdentifier,
        by delay: Duration
    ) {
        let wish = ConnectDelays.Wish(session: session, peer: peer, number: number)
        let due = delay > .zero ? host.executor.now + delay : nil
        central.delays.set(wish, due: due)
        setDelayTimer()
    }

    private func setDelayTimer() {
        let next = central.delays.next
        if central.delayTimer == nil, next != nil {
            central.delayTimer = host.executor.makeTimer { [weak self] in
                self?.assumeIsolated { $0.delaysEnded() }
            }
        }
        central.delayTimer?.set(to: next)
    }

    private func delaysEnded() {
        for wish in central.delays.takeDue(at: host.executor.now) {
            perform(central.core.delayEnded(wish.session, wish.peer, wish.number))
        }
        setDelayTimer()
    }
}
