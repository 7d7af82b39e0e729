// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The operations behind `Link` and the streams.
extension BluetoothHost {
    nonisolated func request(
        _ request: LinkRequest,
        of link: LinkIdentifier
    ) async throws -> HostAnswer {
        let isDisconnection = request.isDisconnection
        // A canceled task may only disconnect.
        if !isDisconnection { try Task.checkCancellation() }
        return try await perform(isAlwaysTaken: isDisconnection, on: link) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancelRequest(id, of: link, now: now)
        }
    }

    /// Performs a request to a link, as `perform(isAlwaysTaken:_:onCancel:)` does. A caller on the
    /// host's thread stays on it.
    ///
    /// - Throws: Also the reason why the link ended.
    func perform(
        isAlwaysTaken: Bool = false,
        on link: LinkIdentifier,
        isolation: isolated (any Actor)? = #isolation,
        _ start: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void,
        onCancel cancel: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
    ) async throws -> HostAnswer {
        do {
            guard isolation == nil, isOnOwnThread else {
                return try await perform(isAlwaysTaken: isAlwaysTaken, start, onCancel: cancel)
            }
            return try await performOnOwnThread(
                isAlwaysTaken: isAlwaysTaken,
                start,
                onCancel: cancel
            )
        } catch HostError.disconnected(.unknownConnectionIdentifier) {
            // The core forgets links that have ended. The driver remembers the reason for some
            // time.
            throw await pastEnd(of: link)
        }
    }

    /// Sends a value as a Write Command if that is possible without waiting. Returns `false` if it
    /// is not.
    func writeAtOnce(
        _ value: [UInt8],
        to handle: AttributeHandle,
        on link: LinkIdentifier
    ) -> Bool {
        defer { drainPackets() }
        return core.writeAtOnce(value, to: handle, on: link, now: executor.now)
    }

    /// Returns the properties of a link. Throws the reason why the link ended if it is not open.
    package func properties(of link: LinkIdentifier) throws -> Link.Properties {
        guard let properties = core.properties(of: link) else { throw pastEnd(of: link) }
        return properties
    }

    /// Returns whether the database of a link's peer is available without a discovery.
    func canRecallDatabase(of link: LinkIdentifier) -> Bool { core.canRecallDatabase(of: link) }

    /// Opens a stream of the values with one handle. When the last stream of a characteristic ends,
    /// the host unsubscribes.
    func openNotifications(
        of handle: AttributeHandle,
        configuration: AttributeHandle,
        on link: LinkIdentifier
    ) -> (NotificationStream, NotificationRouter.Subscription) {
        let subscription = notifications.makeSubscription(for: .init(link: link, handle: handle))
        // The closure keeps the host alive until the stream ends and releases it.
        let buffer = NotificationBuffer(limit: self.configuration.notificationBufferLimit) {
            self.execute { $0.unsubscribe(subscription, configuration: configuration) }
        }
        notifications.add(buffer, as: subscription)
        return (NotificationStream(buffer), subscription)
    }

    /// Removes a stream whose subscription failed.
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
