// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import DBus
import HCITransports

// The clients of the published services, and the values that they get. The daemon names the client
// of a request. A link to the client exists from its first subscription, or its first request that
// the application receives. Requests for fixed and stored values are answered without a link.
extension BlueZAdapter {
    /// The number of links at which the adapter refuses the requests of further clients.
    static let linkLimit = 1_024

    /// Returns the link to the client that the options of a call name.
    func client(in options: DaemonObjects.Properties) -> LinkIdentifier? {
        guard let path = options["device"]?.objectPath, let address = device(at: path)?.address
        else { return nil }
        let link = link(at: path) ?? openClient(path, address)
        if let link, let mtu = options["mtu"]?.integer { noteMTU(mtu, of: link) }
        return link
    }

    func openClient(
        _ path: DBusObjectPath,
        _ address: DeviceAddress
    ) -> LinkIdentifier? {
        guard links.count < Self.linkLimit else { return nil }
        let peer = cipher.identifier(of: address)
        let link = LinkIdentifier(rawValue: nextNumber())
        open(DaemonLink(path: path, peer: peer, isOwn: false, isIncoming: true), as: link)
        return link
    }

    // MARK: Subscriptions

    /// Gives the daemon a socket for the values to notify or indicate to a client.
    func acquireNotify(_ attribute: Attribute, _ call: DBusMessage) {
        let options = call.body.first?.properties ?? [:]
        guard let link = client(in: options), let pair = PacketSocket.pair() else {
            return refuse(call, .insufficientResources)
        }
        let handle = attribute.handle
        let subscription = DaemonServer.Subscription(handle: handle, link: link)
        let socket = PacketSocket(
            pair.0,
            executor: thread,
            receive: { _ in },
            ended: { [weak self] in self?.onThread { $0.ended(subscription) } }
        )
        server.subscriptions[subscription]?.close()
        server.subscriptions[subscription] = socket
        let mtu = UInt16(links[link]?.mtu ?? ATT.defaultMTU)
        reply(to: call, [.unixFD(0), .uint16(mtu)], [pair.1])
        report(.subscribed(link, handle, kind(of: handle)))
    }

    private func kind(of handle: AttributeHandle) -> GATT.SubscriptionKind {
        let all = server.services.flatMap(\.published.characteristics)
        let found = all.first { $0.valueHandle == handle }
        return found?.characteristic.properties.contains(.notify) == true
            ? .notification : .indication
    }

    /// Handles the end of a client's subscription.
    private func ended(_ subscription: DaemonServer.Subscription) {
        guard server.subscriptions.removeValue(forKey: subscription) != nil else { return }
        report(.subscribed(subscription.link, subscription.handle, nil))
    }

    /// Ends the subscriptions to a value that is no longer published.
    func endServing(_ handle: AttributeHandle) {
        endSubscriptions { $0.handle == handle }
    }

    private func endSubscriptions(where isEnding: (DaemonServer.Subscription) -> Bool) {
        for (subscription, socket) in server.subscriptions where isEnding(subscription) {
            server.subscriptions[subscription] = nil
            socket.close()
        }
    }

    /// Refuses the pending requests of a client and ends its subscriptions, before its link is
    /// closed.
    func endServing(_ link: LinkIdentifier) {
        for (id, question) in server.questions where question.link == link {
            server.questions[id] = nil
            refuse(question.call, .unlikelyError)
        }
        endSubscriptions { $0.link == link }
    }

    package nonisolated func notify(
        _ value: GATT.AttributeValue,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<Void>
    ) {
        onThread { adapter in
            // The daemon treats an empty packet as the end of the socket.
            let subscription = DaemonServer.Subscription(handle: value.handle, link: link)
            guard let socket = adapter.server.subscriptions[subscription], !value.value.isEmpty
            else {
                return adapter.thread.perform { completion(.failure(PortError.refused(.unknown))) }
            }
            socket.send(value.value) { isSent in
                completion(isSent ? .success(()) : .failure(PortError.linkEnded(.unknown)))
            }
        }
    }
}
