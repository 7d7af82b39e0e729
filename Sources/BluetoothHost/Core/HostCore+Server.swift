// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// The host's one server, as the application uses it.
extension HostCore {
    package mutating func publish(
        _ definition: GATT.ServiceDefinition,
        now: Instant
    ) throws(GATT.DefinitionError) -> GATT.DiscoveredService {
        let (service, actions) = try context.server.publish(definition)
        perform(actions, now: now)
        return service
    }

    package mutating func unpublish(
        _ service: AttributeHandle,
        now: Instant
    ) throws(GATT.DefinitionError) {
        perform(try context.server.unpublish(service), now: now)
    }

    package mutating func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) {
        try context.server.setValue(value, of: handle)
    }

    package func value(of handle: AttributeHandle) -> [UInt8]? {
        context.server.value(of: handle)
    }

    /// Passes the application's answer to a client's request to the server. See
    /// `GATTServer.answer(_:_:at:now:)`.
    package mutating func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle? = nil,
        now: Instant
    ) {
        perform(context.server.answer(request, result, at: handle, now: now), now: now)
    }

    /// Sends values to the client of a link. The answer is a `completed` action, with success after
    /// all notifications were sent and all indications were confirmed.
    package mutating func notify(
        _ values: [GATT.AttributeValue],
        on link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        let found: Void? = withLink(link, now: now) { $0.notify(values, id: id, &$1) }
        if found == nil { failWithoutLink(id) }
    }

    /// Sends a value if there is room. If there is none, `readyToNotify` follows.
    ///
    /// - Returns: Whether the value was accepted.
    /// - Throws: ``HostError/notSubscribed``, ``HostError/outOfSync`` or
    ///   ``HostError/notPermitted(_:)`` if the server does not send the value,
    ///   ``HostError/notEncrypted`` if the link awaits encryption, and
    ///   ``HostError/disconnected(_:)`` if the link has ended.
    package mutating func tryNotify(
        _ value: [UInt8],
        of attribute: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) throws(HostError) -> Bool {
        let value = GATT.AttributeValue(handle: attribute, value: value)
        let hadRoom = try withLink(link, now: now) { link, context throws(HostError) in
            try link.tryNotify(value, &context)
        }
        guard let hadRoom else { throw .disconnected(.unknownConnectionIdentifier) }
        return hadRoom
    }

    /// Sends a value as a notification if that is possible without waiting.
    ///
    /// - Returns: `false` if the value must wait or must be indicated, or if the link has ended.
    /// - Throws: The errors of ``tryNotify(_:of:on:now:)`` for a value that the server does not
    ///   send.
    package mutating func notifyAtOnce(
        _ value: [UInt8],
        of attribute: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) throws(HostError) -> Bool {
        try withLink(link, now: now) { link, context throws(HostError) in
            try link.notifyAtOnce(value, of: attribute, &context)
        } ?? false
    }

    /// Withdraws the unsent values of a canceled request.
    package mutating func cancelNotification(
        _ id: RequestIdentifier,
        on link: LinkIdentifier,
        now: Instant
    ) {
        withLink(link, now: now) { $0.cancelNotification(id, &$1) }
    }

    /// Returns the links whose clients have subscribed to a value, oldest first.
    package func subscribers(
        of handle: AttributeHandle
    ) -> [(identifier: LinkIdentifier, peer: DeviceAddress)] {
        context.server.subscribers(of: handle).compactMap { client in
            look(at: client.link) { ($0.identifier, $0.identity) }
        }
    }

    package func subscriptions(
        of link: LinkIdentifier
    ) -> [AttributeHandle: GATT.SubscriptionKind] {
        context.server.subscriptions(of: link.client)
    }

    package mutating func authorize(_ isAuthorized: Bool, on link: LinkIdentifier, now: Instant) {
        context.server.authorize(link.client, isAuthorized)
        withLink(link, now: now) { link, _ in link.isAuthorized = isAuthorized }
    }

    /// Answers `recall` with the stored record of a client, or `nil` if the store has none.
    package mutating func recalled(_ bytes: [UInt8]?, of link: LinkIdentifier, now: Instant) {
        withLink(link, now: now) { $0.recalledClient(bytes, &$1) }
    }
}

extension HostCore {
    /// Sets the Device Name that clients read from now on (Vol 3, Part C, 12.1).
    mutating func setDeviceName(_ name: String) {
        context.configuration.name = name
        describeDevice()
    }

    /// Sets the values of the Generic Access service (Vol 3, Part C, 12).
    mutating func describeDevice() {
        context.server.setGenericAccess(
            name: configuration.name,
            appearance: configuration.appearance,
            preferred: configuration.preferredConnectionParameters.map {
                HCI.ConnectionParameters($0).preferredParameters
            }
        )
    }
}

extension HCI.ConnectionParameters {
    /// The value of Peripheral Preferred Connection Parameters (Vol 3, Part C, 12.3).
    fileprivate var preferredParameters: [UInt8] {
        var writer = ByteWriter(reservingCapacity: 8)
        writer.write(intervalMinimum.rawValue)
        writer.write(intervalMaximum.rawValue)
        writer.write(peripheralLatency)
        writer.write(supervisionTimeout.rawValue)
        return writer.bytes
    }
}
