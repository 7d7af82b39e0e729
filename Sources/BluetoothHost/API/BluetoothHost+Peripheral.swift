// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

extension BluetoothHost {
    /// Starts an advertising set, which advertises until the application stops it or it ends by
    /// itself.
    ///
    /// ```swift
    /// let content = AdvertisingContent(localName: "Lamp", serviceUUIDs: [BluetoothUUID(0x1815)])
    /// let set = try await host.advertise(Advertising(content))
    /// for await link in host.incomingLinks { print("\(link.address) has connected") }
    /// ```
    ///
    /// Returns when the controller advertises. If the controller has no room for another link, or
    /// cannot advertise during its other activities, the method returns, and advertising begins
    /// later. If the adapter is not ready, the method waits until it is. A set continues after a
    /// reset of the controller and, unless it is directed or `continuesAfterConnection` is `false`,
    /// after a peer has connected. Canceling the task while the method waits stops the set.
    ///
    /// - Parameter advertising: The data, the type and the timing of the set.
    /// - Returns: The set, with the layout of its data.
    /// - Throws: `AdvertisingError` if the data is not valid, or the controller does not support or
    ///   refuses the set: extended advertising and several sets require version 5.0.
    ///   ``HostError/closed`` if the host is shut down, ``HostError/tooManyRequests`` if 1,024
    ///   requests wait, and `CancellationError` if the task is canceled.
    public func advertise(_ advertising: Advertising) async throws -> AdvertisingSet {
        try Task.checkCancellation()
        var name: RequestIdentifier?
        let answer = try await perform { core, id, now in
            name = id
            core.startAdvertising(advertising, id: id, now: now)
        } onCancel: { core, id, now in
            core.forgetAdvertisingWaiter(id, now: now)
        }
        guard case .advertising(let layout) = answer, let name else {
            throw HostError.malformedAnswer
        }
        return AdvertisingSet(host: self, identifier: name, layout: layout)
    }

    func updateAdvertising(
        _ set: RequestIdentifier,
        to advertising: Advertising
    ) async throws -> AdvertisingLayout {
        try Task.checkCancellation()
        let answer = try await perform { core, id, now in
            core.updateAdvertising(set, to: advertising, id: id, now: now)
        } onCancel: { core, id, now in
            core.forgetAdvertisingWaiter(id, now: now)
        }
        guard case .advertising(let layout) = answer else { throw HostError.malformedAnswer }
        return layout
    }

    /// The links that peers make to this host from now on.
    ///
    /// The stream yields each link as soon as it exists, to every reader. Peers can connect and use
    /// the published services whether or not the application reads this stream. A reader that is
    /// more than `HostConfiguration.incomingLinkBufferLimit` behind misses the oldest links. The
    /// stream keeps the host alive, and ends when the host is shut down.
    public nonisolated var incomingLinks: AsyncStream<Link> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Link.self,
            bufferingPolicy: .bufferingNewest(configuration.incomingLinkBufferLimit)
        )
        let reader = takeRequest()
        // The handler is set before the stream is returned, because a stream that has already ended
        // does not call it. The closure keeps the host alive until the stream ends and releases it.
        continuation.onTermination = { _ in
            self.execute { $0.incomingLinkReaders.remove(reader) }
        }
        execute { host in
            guard host.core.state != .closed else { return continuation.finish() }
            host.incomingLinkReaders.add(continuation, as: reader)
        }
        return stream
    }
}

/// An advertising set, from `BluetoothHost.advertise(_:)`.
///
/// The value identifies the set, and copies identify the same set. Dropping the value does not end
/// the advertising; `stop()` does.
public struct AdvertisingSet: Sendable, Hashable {
    /// The host that advertises.
    public let host: BluetoothHost

    let identifier: RequestIdentifier

    /// The layout of the data with which the set began, and the content that did not fit.
    public let layout: AdvertisingLayout

    /// Returns whether both values identify the same set.
    public static func == (left: AdvertisingSet, right: AdvertisingSet) -> Bool {
        left.host === right.host && left.identifier == right.identifier
    }

    /// Hashes the identity of the set.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }

    /// Replaces the data, the type and the timing of the set.
    ///
    /// Returns when the new advertising is in force, as `BluetoothHost.advertise(_:)` does. If only
    /// data changes, and each part fits into one command, the set continues without a pause.
    ///
    /// - Parameter advertising: The new data, type and timing.
    /// - Returns: The layout of the new data.
    /// - Throws: `AdvertisingError` if the data is not valid or the controller does not support the
    ///   new advertising, in which case nothing changes; `AdvertisingError.ended` if the set has
    ///   ended; the `AdvertisingError` with which the set ends if the controller refuses the
    ///   change. ``HostError/closed`` if the host is shut down meanwhile,
    ///   ``HostError/tooManyRequests`` if 1,024 requests wait, and `CancellationError` if the task
    ///   is canceled.
    @discardableResult
    public func update(_ advertising: Advertising) async throws -> AdvertisingLayout {
        try await host.updateAdvertising(identifier, to: advertising)
    }

    /// Stops advertising.
    ///
    /// Returns when the set no longer advertises, or at once if it has ended already. A canceled
    /// task does not wait. Links that peers made through the set stay open.
    public func stop() async {
        await host.stopAdvertising(identifier)
        _ = try? await ended()
    }

    /// Waits until the set has ended, and returns the reason. Returns at once if it has ended
    /// already.
    ///
    /// - Returns: The reason why the set ended; `stopped` for a set whose end the host has
    ///   forgotten. The host remembers the ends of the last 64 sets.
    /// - Throws: `CancellationError` if the task is canceled, and no other error.
    public func ended() async throws -> AdvertisingEnd {
        try await host.end(of: identifier)
    }
}
