// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports

// The operations behind `Link` as a client of the host's server.
extension BluetoothHost {
    /// Sends a value. See `Link.notify(_:of:)`.
    nonisolated func notify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) async throws {
        guard isOnOwnThread else {
            return try await notifyFromOtherThread(value, of: handle, on: link)
        }
        try await send([GATT.AttributeValue(handle: handle, value: value)], on: link)
    }

    private func notifyFromOtherThread(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) async throws {
        if try notifyAtOnce(value, of: handle, on: link) { return }
        try await send([GATT.AttributeValue(handle: handle, value: value)], on: link)
    }

    private func send(
        _ values: [GATT.AttributeValue],
        on link: LinkIdentifier,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        _ = try await perform(on: link) { core, id, now in
            core.notify(values, on: link, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancelNotification(id, on: link, now: now)
        }
    }

    /// Sends a value as a notification if that is possible without waiting. Returns `false` if it
    /// is not.
    func notifyAtOnce(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) throws -> Bool {
        defer { drainPackets() }
        return try core.notifyAtOnce(value, of: handle, on: link, now: executor.now)
    }

    nonisolated func notify(_ values: [GATT.AttributeValue], on link: LinkIdentifier) async throws {
        try Task.checkCancellation()
        try await send(values, on: link)
    }

    /// Sends a value if there is room. See `Link.tryNotify(_:of:)`.
    package func tryNotify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) throws -> Bool {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        defer { drain() }
        return try core.tryNotify(value, of: handle, on: link, now: executor.now)
    }

    /// Returns the peer's subscriptions.
    package func subscriptions(
        of link: LinkIdentifier
    ) throws -> [AttributeHandle: GATT.SubscriptionKind] {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        return core.subscriptions(of: link)
    }

    /// Grants or withdraws the application's authorization. See `Link.authorize(_:)`.
    package func authorize(_ isAuthorized: Bool, on link: LinkIdentifier) throws {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        core.authorize(isAuthorized, on: link, now: executor.now)
    }

    func security(of link: LinkIdentifier) throws -> LinkSecurity {
        guard let security = core.security(of: link) else { throw pastEnd(of: link) }
        return security
    }
}

// The events of the server.
extension BluetoothHost {
    /// Delivers an event to the reader of `serverEvents()`.
    ///
    /// - Returns: Whether the port's observer gets the event as well. A request has one recipient:
    ///   the observer gets it only if there is no reader.
    func deliver(_ event: ClientEvent, of link: LinkIdentifier) -> Bool {
        guard port.readObserver() == nil || serverEventRouter.hasReader else { return true }
        var opened: Link?
        if let peer = port.readPeer(of: link) {
            opened = Link(host: self, identifier: link, address: peer)
        }
        let refusal = serverEventRouter.deliver(event, on: opened)
        guard case .asked(let request, _) = event else { return true }
        if let refusal { core.answer(request, .failure(refusal), now: executor.now) }
        return false
    }
}

// Bonds.
extension BluetoothHost {
    /// Removes a bond and all stored data of the peer.
    package func removeBond(with peer: DeviceAddress) {
        core.dropBond(of: peer, now: executor.now)
        drain()
    }
}
