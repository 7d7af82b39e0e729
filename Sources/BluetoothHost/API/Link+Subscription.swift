// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// Notifications and indications from the peer.
extension Link {
    /// Subscribes to a characteristic and returns its values as they arrive.
    ///
    /// Returns when the peer has confirmed the subscription. Values that arrive before the
    /// confirmation are in the stream, too. The stream keeps the host alive. Dropping the last
    /// stream of a characteristic, or canceling the task that reads it, unsubscribes.
    ///
    /// Subscribing takes one request if the peer's database is known on this link (see
    /// `database()`). Otherwise, the host first discovers the characteristic's descriptors.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to subscribe to.
    ///   - kind: Notification or indication; the host does not check that the characteristic
    ///     supports it. With `nil`, the host chooses a kind that the characteristic supports:
    ///     notification if it supports both, because notifications are faster. The host confirms
    ///     indications as they arrive.
    /// - Returns: A stream of the values. When the link ends, it throws the reason, for example
    ///   ``HostError/disconnected(_:)``, or ``HostError/adapter(_:)`` after a reset of the
    ///   controller. It throws ``HostError/notificationsOverflowed`` when its reader is more than
    ///   ``HostConfiguration/notificationBufferLimit`` values behind.
    /// - Throws: ``HostError/notSubscribable`` if `kind` is `nil` and the characteristic supports
    ///   neither kind, or if it has no Client Characteristic Configuration descriptor. Also the
    ///   errors of a GATT operation (see ``Link``).
    public func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind? = nil
    ) async throws -> NotificationStream {
        guard let kind = kind ?? characteristic.subscriptionKind,
            let configuration = try await configurationDescriptor(of: characteristic)
        else { throw HostError.notSubscribable }
        let (stream, identifier) = await host.openNotifications(
            of: characteristic.valueHandle,
            configuration: configuration,
            on: self.identifier
        )
        do {
            let operation = GATT.Operation.subscribe(
                valueHandle: characteristic.valueHandle,
                descriptor: configuration,
                kind
            )
            _ = try await gatt(operation)
            return stream
        } catch let error as CancellationError {
            // The peer may have received the request. Dropping the stream unsubscribes.
            throw error
        } catch {
            await host.abandonNotifications(identifier)
            throw error
        }
    }

    /// Subscribes to changes of the peer's database (Vol 3, Part G, 7.1).
    ///
    /// The sequence ends, and throws, as the stream of ``subscribe(to:kind:)`` does.
    ///
    /// - Returns: A sequence of ranges of handles that have changed and must be discovered again.
    /// - Throws: ``HostError/notSubscribable`` if the peer has no Service Changed characteristic to
    ///   subscribe to, and the errors of a GATT operation (see ``Link``).
    public func serviceChanges() async throws
        -> AsyncMapSequence<NotificationStream, ClosedRange<AttributeHandle>>
    {
        let uuid = GATT.AttributeType.serviceChanged
        for service in try await discoverServices(uuid: GATT.AttributeType.genericAttribute) {
            guard let changed = try await discoverCharacteristics(of: service, uuid: uuid).first
            else { continue }
            return try await subscribe(to: changed).map { GATT.changedHandles($0[...]) }
        }
        throw HostError.notSubscribable
    }

    /// Returns the handle of the characteristic's Client Characteristic Configuration descriptor,
    /// from the peer's cached database if it contains the characteristic, otherwise by discovery.
    private func configurationDescriptor(
        of characteristic: GATT.Characteristic
    ) async throws -> AttributeHandle? {
        let type = GATT.AttributeType.clientCharacteristicConfiguration
        let table = await host.knownDatabase(of: identifier)
        if let known = table?.characteristic(valueHandle: characteristic.valueHandle),
            known.characteristic == characteristic
        {
            return known.descriptor(type)?.handle
        }
        return try await discoverDescriptors(of: characteristic).first { $0.uuid == type }?.handle
    }
}
