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
        case ended(PublishedCharacteristicID, on: LinkIdentifier)
        case begun(PublishedCharacteristicID, on: LinkIdentifier)
    }

    private struct Entry: Sendable {
        let peer: PeerIdentifier
        /// The values of the subscriptions, the oldest subscription first.
        var characteristicIDs: [PublishedCharacteristicID] = []
    }

    private var entries: [LinkIdentifier: Entry] = [:]

    /// Returns the link that carries the values of a characteristic to a peer; `nil` if the peer
    /// has not subscribed to it.
    func link(of peer: PeerIdentifier, to characteristicID: PublishedCharacteristicID)
        -> LinkIdentifier?
    {
        entries.filter {
            $0.value.peer == peer && $0.value.characteristicIDs.contains(characteristicID)
        }.keys.max()
    }

    /// Adds a subscription. A second one on the same link changes nothing.
    mutating func insert(
        _ characteristicID: PublishedCharacteristicID,
        of peer: PeerIdentifier,
        on link: LinkIdentifier
    ) -> [Change] {
        guard entries[link]?.characteristicIDs.contains(characteristicID) != true else { return [] }
        return change(characteristicID, of: peer) {
            $0[link, default: Entry(peer: peer)].characteristicIDs.append(characteristicID)
        }
    }

    /// Removes a subscription, if it exists.
    mutating func remove(_ characteristicID: PublishedCharacteristicID, on link: LinkIdentifier)
        -> [Change]
    {
        guard let peer = entries[link]?.peer else { return [] }
        return change(characteristicID, of: peer) { entries in
            entries[link]?.characteristicIDs.removeAll { $0 == characteristicID }
            if entries[link]?.characteristicIDs.isEmpty == true { entries[link] = nil }
        }
    }

    /// Removes all subscriptions of a link, the oldest first.
    mutating func removeAll(on link: LinkIdentifier) -> [Change] {
        let characteristicIDs = entries[link]?.characteristicIDs ?? []
        return characteristicIDs.flatMap { remove($0, on: link) }
    }

    /// Removes the subscriptions to the values of a service that is no longer published. The
    /// application removed the service itself, so no change follows.
    mutating func remove(service number: Int, of session: SessionIdentifier) {
        for link in entries.keys {
            entries[link]?.characteristicIDs.removeAll {
                $0.session == session && $0.service == number
            }
            if entries[link]?.characteristicIDs.isEmpty == true { entries[link] = nil }
        }
    }

    private mutating func change(
        _ characteristicID: PublishedCharacteristicID,
        of peer: PeerIdentifier,
        _ body: (inout [LinkIdentifier: Entry]) -> Void
    ) -> [Change] {
        let former = link(of: peer, to: characteristicID)
        body(&entries)
        let current = link(of: peer, to: characteristicID)
        guard former != current else { return [] }
        return [
            former.map { .ended(characteristicID, on: $0) },
            current.map { .begun(characteristicID, on: $0) },
        ]
        .compactMap { $0 }
    }
}
