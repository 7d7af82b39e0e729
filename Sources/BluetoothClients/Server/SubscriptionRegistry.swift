// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The subscriptions of centrals to the values of peripheral managers, by peer and link.
///
/// A subscription belongs to a link. Applications see peers, and a peer may have two links: a
/// central whose process was killed connects again before its former link has timed out. An
/// application therefore sees the *current* subscription of a peer: the one on the newest of its
/// links that has one. When another link becomes the current one, the application sees the end of
/// one subscription and the beginning of another.
struct SubscriptionRegistry: Sendable {
    /// A change of the visible subscriptions.
    enum Change: Equatable, Sendable {
        case ended(PublishedTree.Place, on: LinkIdentifier)
        case begun(PublishedTree.Place, on: LinkIdentifier)
    }

    private struct Entry: Sendable {
        let peer: PeerIdentifier
        /// The values of the subscriptions, the oldest subscription first.
        var places: [PublishedTree.Place] = []
    }

    private var entries: [LinkIdentifier: Entry] = [:]

    /// Returns the link that carries the values of a characteristic to a peer; `nil` if the peer
    /// has not subscribed to it.
    func link(of peer: PeerIdentifier, to place: PublishedTree.Place) -> LinkIdentifier? {
        entries.filter { $0.value.peer == peer && $0.value.places.contains(place) }.keys.max()
    }

    /// Adds a subscription. A second one on the same link changes nothing.
    mutating func insert(
        _ place: PublishedTree.Place,
        of peer: PeerIdentifier,
        on link: LinkIdentifier
    ) -> [Change] {
        guard entries[link]?.places.contains(place) != true else { return [] }
        return change(place, of: peer) {
            $0[link, default: Entry(peer: peer)].places.append(place)
        }
    }

    /// Removes a subscription, if it exists.
    mutating func remove(_ place: PublishedTree.Place, on link: LinkIdentifier) -> [Change] {
        guard let peer = entries[link]?.peer else { return [] }
        return change(place, of: peer) { entries in
            entries[link]?.places.removeAll { $0 == place }
            if entries[link]?.places.isEmpty == true { entries[link] = nil }
        }
    }

    /// Removes all subscriptions of a link, the oldest first.
    mutating func removeAll(on link: LinkIdentifier) -> [Change] {
        let places = entries[link]?.places ?? []
        return places.flatMap { remove($0, on: link) }
    }

    /// Removes the subscriptions to the values of a service that is no longer published. The
    /// application removed the service itself, so no change follows.
    mutating func remove(service number: Int, of session: SessionIdentifier) {
        for link in entries.keys {
            entries[link]?.places.removeAll { $0.session == session && $0.service == number }
            if entries[link]?.places.isEmpty == true { entries[link] = nil }
        }
    }

    private mutating func change(
        _ place: PublishedTree.Place,
        of peer: PeerIdentifier,
        _ body: (inout [LinkIdentifier: Entry]) -> Void
    ) -> [Change] {
        let former = link(of: peer, to: place)
        body(&entries)
        let current = link(of: peer, to: place)
        guard former != current else { return [] }
        return [former.map { .ended(place, on: $0) }, current.map { .begun(place, on: $0) }]
            .compactMap { $0 }
    }
}
