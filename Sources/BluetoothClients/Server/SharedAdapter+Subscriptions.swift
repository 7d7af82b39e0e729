// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Subscriptions of centrals.
extension SharedAdapter {
    func configured(
        _ handle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?,
        on link: LinkIdentifier
    ) {
        guard let characteristicID = server.tree.characteristicID(of: handle),
            let peer = server.links.peer(of: link)
        else { return }
        guard kind != nil else {
            return post(server.subscriptions.remove(characteristicID, on: link))
        }
        guard admitsSubscription(to: characteristicID.session) else { return end(link) }
        supersede(by: link)
        post(server.subscriptions.insert(characteristicID, of: peer, on: link))
    }

    /// Returns whether another subscription may be sent to the application. The events of a
    /// subscription must not be dropped, so a central that subscribes while too many of them wait
    /// is disconnected instead. A subscription that was admitted may always end.
    private func admitsSubscription(to identifier: SessionIdentifier) -> Bool {
        guard let session = server.sessions[identifier] else { return true }
        let limit = PeripheralManagerSession.subscriptionLimit
        let isRefused = session.waitingSubscriptions.current >= limit
        server.sessions[identifier]?.refusesSubscriptions = isRefused
        if isRefused, !session.refusesSubscriptions {
            Misuse.warn(
                "centrals that subscribe are disconnected: \(limit) changes of subscriptions wait "
                    + "for a queue that is busy"
            )
        }
        return !isRefused
    }

    func unsubscribeAll(on link: LinkIdentifier) {
        post(server.subscriptions.removeAll(on: link))
    }

    /// Ends the subscriptions on a peer's former links, and frees the space of values that wait to
    /// be sent on them.
    ///
    /// Call it when the peer subscribes or makes a request on the newer link, and not when this
    /// link opens. A bonded peer has proved its identity by then, so that a device that uses the
    /// peer's address cannot end the peer's subscriptions.
    func supersede(by link: LinkIdentifier) {
        for former in server.links.superseded(by: link) {
            unsubscribeAll(on: former)
            abandonUpdates(on: former)
        }
    }

    private func post(_ changes: [SubscriptionRegistry.Change]) {
        for change in changes {
            switch change {
            case .ended(let characteristicID, let link):
                guard let central = server.links.central(on: link) else { continue }
                post(.unsubscribed(central, characteristicID), to: characteristicID.session)
            case .begun(let characteristicID, let link):
                guard let central = server.links.central(on: link) else { continue }
                post(.subscribed(central, characteristicID), to: characteristicID.session)
            }
        }
    }
}
