// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Sending values.
extension SharedAdapter {
    /// Sends a value to these centrals. The manager has already counted the value in its
    /// ``PendingUpdateCount``. The completion receives whether the value was sent to all of them.
    /// For an indication, it receives whether all of them confirmed it.
    package func send(
        _ value: [UInt8],
        of characteristicID: PublishedCharacteristicID,
        to peers: [PeerIdentifier],
        then completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        let links = Set(
            peers.compactMap { server.subscriptions.link(of: $0, to: characteristicID) }
        )
        guard let handle = server.tree.handle(of: characteristicID), !links.isEmpty else {
            completion?(false)
            return release(characteristicID.session)
        }
        let value = GATT.AttributeValue(handle: handle, value: value)
        server.lastUpdate += 1
        let number = server.lastUpdate
        server.updates[number] = ServerPart.Update(
            session: characteristicID.session,
            links: links,
            completion: completion
        )
        for link in links.sorted() {
            port.notify(value, on: link) { [weak self] result in
                let isDelivered = (try? result.get()) != nil
                self?.assumeIsolated { $0.updateLeft(number, on: link, isDelivered) }
            }
        }
    }

    /// Stops waiting for values on a link that the peer has lost.
    func abandonUpdates(on link: LinkIdentifier) {
        for number in server.updates.keys.sorted() { updateLeft(number, on: link, false) }
    }

    private func updateLeft(_ number: Int, on link: LinkIdentifier, _ isDelivered: Bool) {
        guard var update = server.updates[number], update.links.remove(link) != nil else { return }
        update.isDelivered = update.isDelivered && isDelivered
        server.updates[number] = update.links.isEmpty ? nil : update
        guard update.links.isEmpty else { return }
        update.completion?(update.isDelivered)
        release(update.session)
    }

    /// Frees the space of a value that was sent to all its centrals or can no longer reach them.
    private func release(_ session: SessionIdentifier) {
        guard let manager = server.sessions[session],
            manager.updates.change({ $0.release() })
        else { return }
        post(.readyToUpdate, to: manager)
    }

    /// Requests connection parameters from a central.
    package func request(_ latency: ConnectionLatency, of peer: PeerIdentifier) {
        guard let link = server.links.newest(to: peer) else { return }
        // Multiples of 15 ms, within Apple's guidelines for accessories.
        let interval: ClosedRange<Duration> =
            switch latency {
            case .low: .milliseconds(15) ... .milliseconds(30)
            case .high: .milliseconds(300) ... .milliseconds(330)
            case .medium: .milliseconds(90) ... .milliseconds(120)
            }
        let skipped = latency == .high ? 1 : 0
        port.begin(.updateParameters(interval: interval, peripheralLatency: skipped), on: link) {
            _ in
        }
    }
}

/// A connection latency that a central is requested to use.
package enum ConnectionLatency: Sendable {
    case low
    case medium
    case high
}
