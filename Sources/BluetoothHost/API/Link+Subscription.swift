// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// Values that the peer sends by itself.
extension Link {
    /// Subscribes to a characteristic, and returns its values as they arrive.
    ///
    /// Returns when the peer has confirmed the subscription; values that come before are kept. The
    /// stream ends by throwing `HostError.disconnected` when the link ends, or
    /// `HostError.notificationsOverflowed` when its reader falls more than
    /// `HostConfiguration.notificationBufferLimit` values behind. Dropping the last stream of a
    /// characteristic, or cancelling its task, unsubscribes.
    ///
    /// - Parameter kind: notification or indication; by default notification where the
    ///   characteristic offers both, because it is faster. Indications are confirmed as they arrive.
    public func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind? = nil
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        guard let kind = kind ?? characteristic.preferredSubscription,
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
            // The peer may have been asked already: letting go of the stream unsubscribes.
            throw error
        } catch {
            await host.abandonNotifications(identifier)
            throw error
        }
    }

    /// Subscribes to what the peer tells of its own table: each element is a range of handles that
    /// are no longer what they were, and must be discovered again (Vol 3, Part G, 7.1).
    ///
    /// Ends as `subscribe(to:kind:)` does. Throws `HostError.notSubscribable` if the peer has no
    /// Service Changed characteristic: its table never changes.
    public func serviceChanges()
        async throws -> some AsyncSequence<ClosedRange<AttributeHandle>, any Error> & Sendable
    {
        let uuid = GATT.AttributeType.serviceChanged
        for service in try await discoverServices(uuid: GATT.AttributeType.genericAttribute) {
            guard let told = try await discoverCharacteristics(of: service, uuid: uuid).first
            else { continue }
            return try await subscribe(to: told).map { GATT.changedHandles($0[...]) }
        }
        throw HostError.notSubscribable
    }

    private func configurationDescriptor(
        of characteristic: GATT.Characteristic
    ) async throws -> AttributeHandle? {
        try await discoverDescriptors(of: characteristic)
            .first { $0.uuid == GATT.AttributeType.clientCharacteristicConfiguration }?.handle
    }
}
