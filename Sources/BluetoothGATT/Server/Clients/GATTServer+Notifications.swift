// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// The reason why a value is not sent to a client.
    package enum NotificationRefusal: Error, Equatable, Sendable {
        /// The client is not connected.
        case notConnected
        /// The handle is not that of a characteristic's value.
        case notACharacteristic(AttributeHandle)
        /// The client has not subscribed to the value.
        case notSubscribed
        /// The client does not know yet that the database has changed (Vol 3, Part G, 2.5.2.1). If
        /// it has subscribed to Service Changed, the server indicates the change.
        case outOfSync
        /// The link does not have the required security, or the client is not authorized.
        case notPermitted(ATT.ErrorCode)
    }

    /// A PDU with a value, and the bearer on which to send it.
    package typealias Notification = (bearer: BearerID, pdu: ATT.PDU, kind: GATT.SubscriptionKind)

    /// Returns the PDU that sends a value to a subscribed client.
    ///
    /// Each call checks the subscription and the permissions, because the security of a link can
    /// change. The value is truncated to the bearer's MTU (Vol 3, Part F, 3.4.7.1 and 3.4.7.2).
    package func notification(
        of handle: AttributeHandle,
        value: [UInt8],
        to client: ClientID
    ) -> Result<Notification, NotificationRefusal> {
        do throws(NotificationRefusal) {
            let kind = try subscription(to: handle, of: client)
            guard let bearer = clients[client]?.primaryBearer else { throw .notConnected }
            let part = value.prefix(bearer.mtu - Self.notificationHeader)
            let pdu: ATT.PDU =
                switch kind {
                case .notification: .handleValueNotification(.init(handle: handle, value: part))
                case .indication: .handleValueIndication(.init(handle: handle, value: part))
                }
            return .success((BearerID(client: client, channel: bearer.channel), pdu, kind))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the PDUs that send several values to a client, in their order.
    ///
    /// If the client supports Multiple Handle Value Notifications, notified values share a PDU, as
    /// many as fit completely (Vol 3, Part G, 4.10.2). Each other value has a PDU of its own.
    package func notifications(
        of values: [GATT.AttributeValue],
        to client: ClientID
    ) -> Result<[Notification], NotificationRefusal> {
        var notifications: [Notification] = []
        for value in values {
            switch notification(of: value.handle, value: value.value, to: client) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let notification):
                append(notification, of: value, to: &notifications)
            }
        }
        return .success(notifications)
    }

    /// The length of the opcode and the handle in bytes.
    private static let notificationHeader = 3

    func subscription(
        to handle: AttributeHandle,
        of client: ClientID
    ) throws(NotificationRefusal) -> GATT.SubscriptionKind {
        guard let record = clients[client] else { throw .notConnected }
        guard let characteristic = database.characteristics[handle] else {
            throw .notACharacteristic(handle)
        }
        guard let configuration = characteristic.configurationHandle,
            let bits = record.clientRecord.configurations[configuration]?.bits,
            let kind = GATT.SubscriptionKind(configuration: bits)
        else { throw .notSubscribed }
        guard !record.isOutOfSync else { throw .outOfSync }
        if let refusal = sendingRefusal(of: handle, to: client) { throw .notPermitted(refusal) }
        return kind
    }

    /// Returns the reason why a value may not be sent to a client, or `nil` if it may.
    func sendingRefusal(of handle: AttributeHandle, to client: ClientID) -> ATT.ErrorCode? {
        guard let record = clients[client] else { return .unlikelyError }
        guard !record.security.awaitsEncryption else { return .insufficientEncryption }
        let permissions = database.attribute(handle)?.permissions
        return (permissions?.subscribe ?? permissions?.read)?
            .refusal(of: record.security, isAuthorized: record.isAuthorized)
    }
}

extension GATTServer {
    private func append(
        _ notification: Notification,
        of value: GATT.AttributeValue,
        to notifications: inout [Notification]
    ) {
        if let last = notifications.last,
            let joined = joining(last, with: notification, of: value)
        {
            notifications[notifications.count - 1].pdu = joined
        } else {
            notifications.append(notification)
        }
    }

    /// Returns one PDU with both values, or `nil` if they cannot share one.
    private func joining(
        _ first: Notification,
        with second: Notification,
        of value: GATT.AttributeValue
    ) -> ATT.PDU? {
        let features = clients[first.bearer.client]?.clientRecord.supportedFeatures ?? 0
        guard features & ClientFeatures.multipleHandleValueNotifications != 0,
            let mtu = clients[first.bearer.client]?.bearers[first.bearer.channel],
            second.kind == .notification, value.value.count <= mtu,
            let entries = first.pdu.notifiedEntries
        else { return nil }
        let joined = ATT.MultipleHandleValueNotification(
            entries: entries + [.init(handle: value.handle, value: value.value[...])]
        )
        guard joined.encodedLength + 1 <= mtu else { return nil }
        return .multipleHandleValueNotification(joined)
    }
}

extension ATT.PDU {
    /// The values in the notification, or `nil` if the PDU is not a notification.
    fileprivate var notifiedEntries: [ATT.MultipleHandleValueNotification.Entry]? {
        switch self {
        case .handleValueNotification(let one): [.init(handle: one.handle, value: one.value)]
        case .multipleHandleValueNotification(let several): several.entries
        default: nil
        }
    }
}
