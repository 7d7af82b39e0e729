// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports

// What `Link` asks of its host as a server.
extension BluetoothHost {
    func notify(_ values: [GATT.AttributeValue], on link: LinkIdentifier) async throws {
        try Task.checkCancellation()
        do {
            _ = try await perform { core, id, now in
                core.notify(values, on: link, id: id, now: now)
            } onCancel: { core, id, now in
                core.cancelNotification(id, on: link, now: now)
            }
        } catch HostError.disconnected(.unknownConnectionIdentifier) {
            throw pastEnd(of: link)
        }
    }

    /// Sends a value if there is room; see `Link.tryNotify(_:of:)`.
    package func tryNotify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) throws -> Bool {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        defer { drain() }
        return try core.tryNotify(value, of: handle, on: link, now: executor.now)
    }

    /// What the peer has subscribed to.
    package func subscriptions(
        of link: LinkIdentifier
    ) throws -> [AttributeHandle: GATT.SubscriptionKind] {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        return core.subscriptions(of: link)
    }

    /// Lets the peer use what needs authorization; see `Link.authorize(_:)`.
    package func authorize(_ isAuthorized: Bool, on link: LinkIdentifier) throws {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        core.authorize(isAuthorized, on: link)
    }

    func security(of link: LinkIdentifier) throws -> LinkSecurity {
        guard let security = core.security(of: link) else { throw pastEnd(of: link) }
        return security
    }
}

// What the core tells of the server.
extension BluetoothHost {
    func perform(_ news: ServerNews, of link: LinkIdentifier) {
        if case .connected(let address) = news {
            let link = Link(host: self, identifier: link, address: address)
            return serverEventRouter.begin(link)
        }
        if case .asked = news, !serverEventRouter.hasReader, port.observer != nil {
            return tell(.served(link, news))
        }
        defer { tellServed(news, of: link) }
        guard let refusal = serverEventRouter.deliver(news, on: link, of: self),
            case .asked(let request, _) = news
        else { return }
        core.answer(request, .failure(refusal), now: executor.now)
    }

    /// The observer of the port hears of all but the questions, which somebody else answers.
    private func tellServed(_ news: ServerNews, of link: LinkIdentifier) {
        if case .asked = news { return }
        tell(.served(link, news))
    }
}

// Bonds.
extension BluetoothHost {
    /// Shares a key with a peer from now on, instead of an earlier one.
    package func addBond(_ bond: Bond) {
        core.addBond(bond, now: executor.now)
        drain()
    }

    /// Shares no key with a peer any more, and forgets what it configured.
    package func removeBond(with peer: DeviceAddress) {
        core.removeBond(with: peer, now: executor.now)
        drain()
    }
}
