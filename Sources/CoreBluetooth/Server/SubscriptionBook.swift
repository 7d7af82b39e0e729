// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// Who has subscribed to which values of which managers.
struct SubscriptionBook: Sendable {
    private var subscriptions: [LinkIdentifier: [PublishedTree.Place]] = [:]

    /// Adds a subscription; false if it was there.
    mutating func insert(_ place: PublishedTree.Place, of link: LinkIdentifier) -> Bool {
        guard !subscriptions[link, default: []].contains(place) else { return false }
        subscriptions[link, default: []].append(place)
        return true
    }

    /// Removes a subscription; false if there was none.
    mutating func remove(_ place: PublishedTree.Place, of link: LinkIdentifier) -> Bool {
        guard let index = subscriptions[link]?.firstIndex(of: place) else { return false }
        subscriptions[link]?.remove(at: index)
        return true
    }

    /// Removes all subscriptions of a link, the oldest first.
    mutating func removeAll(of link: LinkIdentifier) -> [PublishedTree.Place] {
        subscriptions.removeValue(forKey: link) ?? []
    }

    /// A service is gone, and what was subscribed to in it.
    mutating func remove(service number: Int, of session: SessionIdentifier) {
        for link in subscriptions.keys {
            subscriptions[link]?.removeAll { $0.session == session && $0.service == number }
        }
    }
}
