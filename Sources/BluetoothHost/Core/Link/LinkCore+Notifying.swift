// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// The values that the server sends, from the application through the bearer's queues. The host
// sends notifications and indications on the unenhanced bearer.
extension LinkCore {
    /// Sends values to the client. The answer is a `completed` action, with success after all
    /// notifications were sent and all indications were confirmed.
    mutating func notify(
        _ values: [GATT.AttributeValue],
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        do throws(HostError) {
            if values.count == 1 {
                try notify(values[0], id: id, &context)
            } else {
                try notifySeveral(values, id: id, &context)
            }
        } catch {
            context.fail(id, error)
        }
    }

    private mutating func notify(
        _ value: GATT.AttributeValue,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) throws(HostError) {
        guard try !notifyAtOnce(value.value, of: value.handle, &context) else {
            return context.complete(id, .done)
        }
        guard serving.queue.count < LinkServing.queueLimit else { throw .tooManyRequests }
        let notification = try context.notification(of: value, to: identifier)
        serving.queue.append(
            .init(pdu: notification.pdu, kind: notification.kind, id: id.rawValue)
        )
        pump(&context)
    }

    private mutating func notifySeveral(
        _ values: [GATT.AttributeValue],
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) throws(HostError) {
        guard !awaitsEncryption else { throw .notEncrypted }
        let notifications = try context.notifications(of: values, to: identifier)
        guard serving.queue.count + notifications.count <= LinkServing.queueLimit else {
            throw .tooManyRequests
        }
        let ids = split(id, into: notifications.count, &context)
        for (notification, id) in zip(notifications, ids) {
            serving.queue.append(.init(pdu: notification.pdu, kind: notification.kind, id: id))
        }
        pump(&context)
    }

    /// Sends a value if there is room. If there is none, `readyToNotify` follows.
    ///
    /// - Returns: Whether the value was accepted.
    /// - Throws: ``HostError/notSubscribed``, ``HostError/outOfSync`` or
    ///   ``HostError/notPermitted(_:)`` if the server does not send the value, and
    ///   ``HostError/notEncrypted`` if the link awaits encryption.
    mutating func tryNotify(
        _ value: GATT.AttributeValue,
        _ context: inout LinkContext
    ) throws(HostError) -> Bool {
        if try notifyAtOnce(value.value, of: value.handle, &context) { return true }
        let notification = try context.notification(of: value, to: identifier)
        guard hasRoom(for: notification.kind) else {
            serving.refusedKinds.insert(notification.kind)
            return false
        }
        let id = notification.kind == .indication ? context.takeOperation() : nil
        submit(notification.pdu, notification.kind, id: id)
        pump(&context)
        return true
    }

    /// Withdraws the unsent values of a canceled request.
    mutating func cancelNotification(_ id: RequestIdentifier, _ context: inout LinkContext) {
        for operation in serving.forget(id) { bearer.att.cancel(operation) }
        pump(&context)
    }

    /// Returns an identifier for each PDU of a request. A single PDU gets that of the request.
    private mutating func split(
        _ id: RequestIdentifier,
        into count: Int,
        _ context: inout LinkContext
    ) -> [UInt64] {
        guard count > 1 else { return [id.rawValue] }
        let parts = (0..<count).map { _ in context.takeOperation() }
        for part in parts { serving.parts[part] = id }
        serving.partCounts[id] = count
        return parts
    }

    /// Sends an indication of the server itself. The queue needs no bound for such indications,
    /// because at most one is unconfirmed.
    mutating func indicate(_ indication: ATT.HandleValueIndication, _ context: inout LinkContext) {
        let id = context.takeOperation()
        serving.ownIndications[id] = indication.handle
        let pdu = ATT.PDU.handleValueIndication(indication)
        serving.queue.append(.init(pdu: pdu, kind: .indication, id: id))
    }
}

// The bearer's queues.
extension LinkCore {
    /// Passes to the bearer the values that waited for room in it.
    mutating func submitQueuedValues() {
        while let next = serving.queue.first, hasRoomInBearer(for: next.kind) {
            serving.queue.removeFirst()
            submit(next.pdu, next.kind, id: next.id)
        }
    }

    /// Passes a PDU to the bearer, which has room for it. If the bearer is closed, the request
    /// fails when the link ends, which is soon.
    private mutating func submit(_ pdu: ATT.PDU, _ kind: GATT.SubscriptionKind, id: UInt64?) {
        switch (kind, id) {
        case (.indication, let id?): try? bearer.att.indicate(pdu, id: id)
        default: try? bearer.att.notify(pdu, id: id)
        }
    }

    /// Returns whether the bearer's queue has room for a value, and no earlier value waits for it.
    private func hasRoom(for kind: GATT.SubscriptionKind) -> Bool {
        serving.queue.isEmpty && hasRoomInBearer(for: kind)
    }

    private func hasRoomInBearer(for kind: GATT.SubscriptionKind) -> Bool {
        switch kind {
        case .notification: bearer.att.hasRoomForNotification
        case .indication: bearer.att.hasRoomForIndication
        }
    }

    /// Reports room to the application after a value was refused because there was none.
    mutating func reportReadiness(_ context: inout LinkContext) {
        guard !serving.refusedKinds.isEmpty,
            serving.refusedKinds.contains(where: { hasRoom(for: $0) })
        else { return }
        serving.refusedKinds = []
        context.emit(.event(.served(identifier, .readyToNotify)))
    }

    /// Handles a notification that was sent, or an indication that was confirmed.
    mutating func valueSent(_ id: UInt64, _ context: inout LinkContext) {
        guard id >= LinkContext.ownOperationBase else {
            return context.complete(RequestIdentifier(rawValue: id), .done)
        }
        if let indicated = serving.ownIndications.removeValue(forKey: id) {
            let actions = context.server.confirmed(indicated, on: identifier.fixedBearer)
            return perform(actions, &context)
        }
        if let request = serving.partSent(id) { context.complete(request, .done) }
    }

    /// Handles a value that was not sent, or not confirmed, before the bearer closed.
    mutating func valueFailed(_ id: UInt64, _ failure: GATT.Failure, _ context: inout LinkContext) {
        guard id >= LinkContext.ownOperationBase else {
            return context.fail(RequestIdentifier(rawValue: id), failure)
        }
        guard let request = serving.parts[id] else { return }
        _ = serving.forget(request)
        context.fail(request, failure)
    }

    /// Fails the requests whose values were not sent before the link ended.
    func failNotifications(with error: HostError, _ context: inout LinkContext) {
        for id in serving.queue.ids where id < LinkContext.ownOperationBase {
            context.fail(RequestIdentifier(rawValue: id), error)
        }
        for request in serving.partCounts.keys { context.fail(request, error) }
    }
}

extension LinkContext {
    fileprivate func notification(
        of value: GATT.AttributeValue,
        to link: LinkIdentifier
    ) throws(HostError) -> GATTServer.Notification {
        switch server.notification(of: value.handle, value: value.value, to: link.client) {
        case .success(let notification): return notification
        case .failure(let refusal): throw HostError(refusal)
        }
    }

    fileprivate func notifications(
        of values: [GATT.AttributeValue],
        to link: LinkIdentifier
    ) throws(HostError) -> [GATTServer.Notification] {
        switch server.notifications(of: values, to: link.client) {
        case .success(let notifications): return notifications
        case .failure(let refusal): throw HostError(refusal)
        }
    }
}

extension HostError {
    /// Creates the error for a value that the server does not send.
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
