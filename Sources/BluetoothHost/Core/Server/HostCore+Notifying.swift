// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// Values that the server sends unasked: from the application through the bearer's queues, and the
// word that they have been sent back to it.
extension HostCore {
    /// Sends values to the client of a link; the answer is a `completed` action, as soon as all of
    /// them have left or, those indicated, were confirmed.
    package mutating func notify(
        _ values: [GATT.AttributeValue],
        on link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else {
            return fail(id, HostError.disconnected(.unknownConnectionIdentifier))
        }
        do throws(HostError) {
            guard links[handle]?.isSealed == false else { throw .notEncrypted }
            let notifications = try notifications(of: values, to: link)
            guard let waiting = links[handle]?.serving.waiting.count,
                waiting + notifications.count <= LinkServing.waitingLimit
            else { throw .tooManyRequests }
            let ids = split(id, into: notifications.count, on: handle)
            for (notification, id) in zip(notifications, ids) {
                let waiting = LinkServing.Waiting(
                    pdu: notification.pdu,
                    kind: notification.kind,
                    id: id
                )
                links[handle]?.serving.waiting.append(waiting)
            }
            pump(handle, now: now)
        } catch {
            fail(id, error)
        }
    }

    /// Sends a value if there is room, and says whether there was. If not, `readyToNotify` follows.
    package mutating func tryNotify(
        _ value: [UInt8],
        of attribute: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) throws(HostError) -> Bool {
        guard let handle = handles[link] else {
            throw .disconnected(.unknownConnectionIdentifier)
        }
        guard links[handle]?.isSealed == false else { throw .notEncrypted }
        let value = GATT.AttributeValue(handle: attribute, value: value)
        guard let notification = try notifications(of: [value], to: link).first else { return true }
        guard links[handle]?.hasRoom(for: notification.kind) == true else {
            links[handle]?.serving.awaitedRoom.insert(notification.kind)
            return false
        }
        let id = notification.kind == .indication ? takeOwnOperation() : nil
        links[handle]?.submit(notification.pdu, notification.kind, id: id)
        pump(handle, now: now)
        return true
    }

    /// Nobody waits for this any more: what has not left stays.
    package mutating func cancelNotification(
        _ id: RequestIdentifier,
        on link: LinkIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else { return }
        for operation in links[handle]?.serving.forget(id) ?? [] {
            links[handle]?.gatt.withdraw(operation)
        }
        pump(handle, now: now)
    }

    private func notifications(
        of values: [GATT.AttributeValue],
        to link: LinkIdentifier
    ) throws(HostError) -> [GATTServer.Notification] {
        switch server.notifications(of: values, to: link.client) {
        case .success(let notifications): return notifications
        case .failure(let refusal): throw HostError(refusal)
        }
    }

    /// Identifiers for the PDUs of a request: its own, if there is only one.
    private mutating func split(
        _ id: RequestIdentifier,
        into count: Int,
        on handle: ConnectionHandle
    ) -> [UInt64] {
        guard count > 1 else { return [id.rawValue] }
        let parts = (0..<count).map { _ in takeOwnOperation() }
        for part in parts { links[handle]?.serving.parts[part] = id }
        links[handle]?.serving.partCounts[id] = count
        return parts
    }
}

// What becomes of them.
extension HostCore {
    /// Hands the bearer what has waited for room in it.
    mutating func submitWaiting(on handle: ConnectionHandle) {
        links[handle]?.submitWaiting()
    }

    /// Tells whoever waits for it that there is room again.
    mutating func tellRoom(on handle: ConnectionHandle) {
        guard links[handle]?.hasAwaitedRoom == true, let link = links[handle]?.identifier else {
            return
        }
        links[handle]?.serving.awaitedRoom = []
        emit(.served(link, .readyToNotify))
    }

    /// A notification has left, or an indication was confirmed.
    mutating func valueSent(_ id: UInt64, on handle: ConnectionHandle) {
        guard id >= Self.ownOperationBase else {
            return complete(RequestIdentifier(rawValue: id), .done)
        }
        if let indicated = links[handle]?.serving.ownIndications.removeValue(forKey: id),
            let link = links[handle]?.identifier
        {
            return perform(server.confirmed(indicated, on: link.fixedBearer))
        }
        if let request = links[handle]?.serving.partSent(id) { complete(request, .done) }
    }

    /// The bearer has closed before a value was sent, or confirmed.
    mutating func partFailed(_ id: UInt64, _ failure: GATT.Failure, on handle: ConnectionHandle) {
        guard let request = links[handle]?.serving.parts[id] else { return }
        _ = links[handle]?.serving.forget(request)
        fail(request, failure)
    }

    /// Sends an indication of the server's own. There is one at most that is not confirmed, so that it
    /// needs no bound.
    mutating func indicate(_ indication: ATT.HandleValueIndication, on bearer: GATTServer.BearerID)
    {
        guard let handle = handles[bearer.client.link] else { return }
        let id = takeOwnOperation()
        links[handle]?.serving.ownIndications[id] = indication.handle
        let waiting = LinkServing.Waiting(
            pdu: .handleValueIndication(indication),
            kind: .indication,
            id: id
        )
        links[handle]?.serving.waiting.append(waiting)
    }

    /// Tells those who wait for values to be sent on a link that they never will.
    mutating func failNotifications(of link: LinkState, with error: HostError) {
        for id in link.serving.waiting.ids where id < Self.ownOperationBase {
            fail(RequestIdentifier(rawValue: id), error)
        }
        for request in link.serving.partCounts.keys { fail(request, error) }
    }
}

extension LinkState {
    /// Whether there is room again for something that found none.
    var hasAwaitedRoom: Bool {
        !serving.awaitedRoom.isEmpty && serving.awaitedRoom.contains { hasRoom(for: $0) }
    }

    /// Whether a value could be sent at once: nobody else waits for room, and there is some.
    func hasRoom(for kind: GATT.SubscriptionKind) -> Bool {
        serving.waiting.isEmpty && hasRoomInBearer(for: kind)
    }

    func hasRoomInBearer(for kind: GATT.SubscriptionKind) -> Bool {
        switch kind {
        case .notification: gatt.hasRoomForNotification
        case .indication: gatt.hasRoomForIndication
        }
    }

    /// Hands a PDU to the bearer, which has room for it. Who waits for one that a closed bearer does
    /// not take is told when the link ends, which is soon.
    mutating func submit(_ pdu: ATT.PDU, _ kind: GATT.SubscriptionKind, id: UInt64?) {
        switch (kind, id) {
        case (.indication, let id?): try? gatt.indicate(pdu, id: id)
        default: try? gatt.notify(pdu, id: id)
        }
    }

    /// Hands the bearer what has waited for room in it, as far as there is room.
    mutating func submitWaiting() {
        while let next = serving.waiting.first, hasRoomInBearer(for: next.kind) {
            serving.waiting.removeFirst()
            submit(next.pdu, next.kind, id: next.id)
        }
    }
}

extension LinkServing {
    /// A part of a request was sent. Returns the request if it was the last.
    mutating func partSent(_ id: UInt64) -> RequestIdentifier? {
        guard let request = parts.removeValue(forKey: id), let count = partCounts[request] else {
            return nil
        }
        partCounts[request] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : request
    }

    /// Forgets a request. Returns what of it the bearer may have.
    mutating func forget(_ request: RequestIdentifier) -> [UInt64] {
        let ids =
            partCounts.removeValue(forKey: request) == nil
            ? [request.rawValue] : parts.filter { $0.value == request }.map(\.key)
        for id in ids { parts[id] = nil }
        waiting.remove(Set(ids))
        return ids
    }
}

extension HostError {
    /// Why the server does not send a value.
    init(_ refusal: GATTServer.NotificationRefusal) {
        self =
            switch refusal {
            case .notConnected: .disconnected(.unknownConnectionIdentifier)
            case .notACharacteristic, .notSubscribed: .notSubscribed
            case .outOfSync: .outOfSync
            case .notPermitted(let code): .notPermitted(code)
            }
    }
}
