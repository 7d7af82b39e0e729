// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

// Who wants to be sent which values.
extension SharedAdapter {
    func configured(
        _ handle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?,
        on link: LinkIdentifier
    ) {
        guard let place = server.tree.place(of: handle), let central = server.links[link] else {
            return
        }
        if kind == nil, server.subscriptions.remove(place, of: link) {
            post(.unsubscribed(central, place), to: place.session)
        } else if kind != nil, server.subscriptions.insert(place, of: link) {
            post(.subscribed(central, place), to: place.session)
        }
    }

    func unsubscribeAll(on link: LinkIdentifier) {
        guard let central = server.links[link] else { return }
        for place in server.subscriptions.removeAll(of: link) {
            post(.unsubscribed(central, place), to: place.session)
        }
    }
}

// Values on their way.
extension SharedAdapter {
    /// Sends a value, for which the manager has taken a place in its queue, to these centrals.
    func send(_ value: [UInt8], of place: PublishedTree.Place, to peers: [PeerIdentifier]) {
        let links = peers.compactMap { servedLink(to: $0) }
        guard let handle = server.tree.handle(of: place), !links.isEmpty else {
            return valueLeft(of: place.session)
        }
        let values = [GATT.AttributeValue(handle: handle, value: value)]
        let remaining = Guarded(links.count)
        for link in links {
            _ = onHost { host in
                host.begin(values, on: link) { [weak self] _ in
                    guard
                        remaining.change({
                            $0 -= 1; return $0 == 0
                        })
                    else { return }
                    self?.assumeIsolated { $0.valueLeft(of: place.session) }
                }
            }
        }
    }

    /// A value is on its way no more: all have it, or will never have it.
    private func valueLeft(of session: SessionIdentifier) {
        guard let manager = server.sessions[session],
            manager.updates.change({ $0.release() })
        else { return }
        post(.readyToUpdate, to: manager)
    }

    /// Asks a central for a pace that suits what is to be sent.
    func request(_ latency: CBPeripheralManagerConnectionLatency, of peer: PeerIdentifier) {
        guard let link = servedLink(to: peer) else { return }
        let update = ConnectionUpdate(latency)
        _ = onHost { $0.begin(.updateParameters(update), on: link) { _ in } }
    }
}

extension ConnectionUpdate {
    /// The pace for a latency: within what accessories are to ask phones for, multiples of 15 ms.
    init(_ latency: CBPeripheralManagerConnectionLatency) {
        switch latency {
        case .low:
            self.init(intervalMinimum: .milliseconds(15), intervalMaximum: .milliseconds(30))
        case .high:
            self.init(
                intervalMinimum: .milliseconds(300),
                intervalMaximum: .milliseconds(330),
                peripheralLatency: 1
            )
        default:
            self.init(intervalMinimum: .milliseconds(90), intervalMaximum: .milliseconds(120))
        }
    }
}
