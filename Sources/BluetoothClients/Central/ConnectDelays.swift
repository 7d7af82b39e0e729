// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The connection requests whose start delay has not ended.
///
/// A manager has at most one for a peer. A canceled request remains until its delay ends.
/// `CentralCore` then ignores it.
struct ConnectDelays: Sendable {
    /// A manager's connection request for a peer.
    struct Request: Hashable, Sendable {
        let session: SessionIdentifier
        let peer: PeerIdentifier
        let number: ConnectionRequestNumber
    }

    private var waiting: [(request: Request, due: Instant)] = []

    /// The time at which the next delay ends; `nil` if there is none.
    var next: Instant? { waiting.map(\.due).min() }

    /// Sets the time at which a request's delay ends; `nil` for no delay. Replaces the delay of an
    /// earlier request of the manager for the peer.
    mutating func set(_ request: Request, due: Instant?) {
        waiting.removeAll {
            $0.request.session == request.session && $0.request.peer == request.peer
        }
        if let due { waiting.append((request, due)) }
    }

    /// Returns the time at which the delay of a manager's request ends; `nil` if it has none.
    func due(of session: SessionIdentifier, for peer: PeerIdentifier) -> Instant? {
        waiting.first { $0.request.session == session && $0.request.peer == peer }?.due
    }

    /// Removes the delays of a manager that was released.
    mutating func remove(_ session: SessionIdentifier) {
        waiting.removeAll { $0.request.session == session }
    }

    /// Removes and returns the requests whose delay has ended, ordered by time.
    mutating func takeDue(at now: Instant) -> [Request] {
        let due = waiting.filter { $0.due <= now }.sorted { $0.due < $1.due }
        waiting.removeAll { $0.due <= now }
        return due.map(\.request)
    }
}

extension SharedAdapter {
    /// Sets the start delay of a connection request.
    func deferRequest(
        _ number: ConnectionRequestNumber,
        of session: SessionIdentifier,
        for peer: PeerIdentifier,
        by delay: Duration
    ) {
        let request = ConnectDelays.Request(session: session, peer: peer, number: number)
        let due = delay > .zero ? executor.now + delay : nil
        central.delays.set(request, due: due)
        setDelayTimer()
    }

    private func setDelayTimer() {
        let next = central.delays.next
        if central.delayTimer == nil, next != nil {
            central.delayTimer = executor.makeTimer { [weak self] in
                self?.assumeIsolated { $0.delaysEnded() }
            }
        }
        central.delayTimer?.set(to: next)
    }

    private func delaysEnded() {
        for request in central.delays.takeDue(at: executor.now) {
            perform(central.core.delayEnded(request.session, request.peer, request.number))
        }
        setDelayTimer()
    }
}
