// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The wishes for links whose time has not come: `CBConnectPeripheralOptionStartDelayKey`.
///
/// A manager has at most one for a peer. One that was given up meanwhile stays until its time, when
/// `CentralCore` knows nothing of it any more.
struct ConnectDelays: Sendable {
    /// One manager's wish for a peer.
    struct Wish: Hashable, Sendable {
        let session: SessionIdentifier
        let peer: PeerIdentifier
        let number: WishNumber
    }

    private var waiting: [(wish: Wish, due: Instant)] = []

    /// When the next one is due; nil if there is none.
    var next: Instant? { waiting.map(\.due).min() }

    /// A wish is due then, or at once; it takes the place of an earlier one.
    mutating func set(_ wish: Wish, due: Instant?) {
        waiting.removeAll { $0.wish.session == wish.session && $0.wish.peer == wish.peer }
        if let due { waiting.append((wish, due)) }
    }

    /// A manager is gone.
    mutating func remove(_ session: SessionIdentifier) {
        waiting.removeAll { $0.wish.session == session }
    }

    /// Takes those that are due, in the order of their times.
    mutating func takeDue(at now: Instant) -> [Wish] {
        let due = waiting.filter { $0.due <= now }.sorted { $0.due < $1.due }
        waiting.removeAll { $0.due <= now }
        return due.map(\.wish)
    }
}

extension SharedAdapter {
    /// Remembers for how long nothing is to be done for a wish.
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
