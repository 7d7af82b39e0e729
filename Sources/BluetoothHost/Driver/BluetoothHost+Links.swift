// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// What `Link` and the streams ask of their host.
extension BluetoothHost {
    func request(
        _ request: LinkRequest,
        of link: LinkIdentifier
    ) async throws -> HostAnswer {
        let isFarewell = request.freesRoom
        // Who is cancelled starts nothing, but may clean up.
        if !isFarewell { try Task.checkCancellation() }
        do {
            return try await perform(isAlwaysTaken: isFarewell) { core, id, now in
                core.request(request, of: link, id: id, now: now)
            } onCancel: { core, id, now in
                core.cancelRequest(id, of: link, now: now)
            }
        } catch HostError.disconnected(.unknownConnectionIdentifier) where !isFarewell {
            // The core forgets links that are gone; we remember why for a while.
            throw pastEnd(of: link)
        }
    }

    /// What is known of a link; throws why it ended if it has.
    package func properties(of link: LinkIdentifier) throws -> Link.Properties {
        guard let properties = core.properties(of: link) else { throw pastEnd(of: link) }
        return properties
    }

    /// Makes a stream of the values that arrive for one handle. When its reader goes, and was the
    /// last, the peer is told to send no more.
    func openNotifications(
        of handle: AttributeHandle,
        configuration: AttributeHandle,
        on link: LinkIdentifier
    ) -> (NotificationRouter.Stream, NotificationRouter.Subscription) {
        let (stream, continuation) = NotificationRouter.Stream.makeStream(
            bufferingPolicy: .bufferingOldest(self.configuration.notificationBufferLimit)
        )
        let subscription = notifications.add(
            continuation,
            for: .init(link: link, handle: handle)
        )
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.unsubscribe(subscription, configuration: configuration) }
        }
        return (stream, subscription)
    }

    /// Forgets a stream whose subscription the peer refused.
    func abandonNotifications(_ subscription: NotificationRouter.Subscription) {
        _ = notifications.remove(subscription)
    }

    private func unsubscribe(
        _ subscription: NotificationRouter.Subscription,
        configuration: AttributeHandle
    ) {
        guard notifications.remove(subscription) else { return }
        let key = subscription.key
        core.unsubscribe(
            key.handle,
            configuration: configuration,
            on: key.link,
            now: executor.now
        )
        drain()
    }
}

extension GATT.Characteristic {
    /// How to subscribe where the caller does not say: notification if there is a choice.
    var preferredSubscription: GATT.SubscriptionKind? {
        if properties.contains(.notify) { return .notification }
        return properties.contains(.indicate) ? .indication : nil
    }
}
