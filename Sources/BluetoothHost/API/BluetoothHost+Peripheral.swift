// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

extension BluetoothHost {
    /// Advertises until the set is stopped, or ends by itself.
    ///
    /// ```swift
    /// let content = AdvertisingContent(localName: "Lamp", serviceUUIDs: [BluetoothUUID(0x1815)])
    /// let set = try await host.advertise(Advertising(content))
    /// for await link in host.incomingLinks { print("\(link.address) has connected") }
    /// ```
    ///
    /// Returns when the controller advertises; or would, but that it has no link to spare: it begins
    /// when one ends. If the adapter is not ready this waits until it is. A set goes on after somebody
    /// has connected, and after the controller was reset; scans and connections go on beside it.
    /// Cancelling the task gives up.
    ///
    /// Throws `AdvertisingError` if the controller cannot do what is asked for: extended advertising
    /// and several sets need version 5.0. Throws `HostError.closed` if the host is shut down.
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

    /// The links that others make to this host, from now on.
    ///
    /// Each is yielded as soon as it is there, to every reader. Links are made whether or not anybody
    /// reads: what is published is served. A reader that lags more than
    /// `HostConfiguration.incomingLinkBufferLimit` behind misses the oldest; `links` has them all.
    /// Ends when the host is shut down.
    public nonisolated var incomingLinks: AsyncStream<Link> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Link.self,
            bufferingPolicy: .bufferingNewest(configuration.incomingLinkBufferLimit)
        )
        let reader = takeRequest()
        // Before the stream is anybody's: the end of one that has ended already is never told.
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.incomingLinkReaders.remove(reader) }
        }
        enter { host in
            guard host.core.state != .closed else { return continuation.finish() }
            host.incomingLinkReaders.add(continuation, as: reader)
        }
        return stream
    }
}

/// Something that a host advertises, from `BluetoothHost.advertise(_:)`.
///
/// A value that names the set: copies name the same one. Letting go of it does not end the
/// advertising; `stop()` does.
public struct AdvertisingSet: Sendable, Hashable {
    /// The host that advertises.
    public let host: BluetoothHost

    let identifier: RequestIdentifier

    /// What was sent when the set began, and what there was no room for.
    public let layout: AdvertisingLayout

    /// Whether both name the same set.
    public static func == (left: AdvertisingSet, right: AdvertisingSet) -> Bool {
        left.host === right.host && left.identifier == right.identifier
    }

    /// Hashes the identity of the set.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }

    /// Advertises something else, and returns how it is laid out, as soon as that is sent. New data
    /// alone is exchanged without a pause, as far as one command can hold it.
    ///
    /// Throws `AdvertisingError`, and changes nothing, if the controller cannot do it;
    /// `AdvertisingError.ended` if the set is over.
    @discardableResult
    public func update(_ advertising: Advertising) async throws -> AdvertisingLayout {
        try await host.updateAdvertising(identifier, to: advertising)
    }

    /// Stops advertising. Returns when it is off the air, also if it has ended already; links that
    /// came of it stay.
    public func stop() async {
        await host.stopAdvertising(identifier)
        _ = try? await ended()
    }

    /// Waits until the advertising is over, and returns why. Returns at once if it is; throws only
    /// `CancellationError`.
    public func ended() async throws -> AdvertisingEnd {
        try await host.end(of: identifier)
    }
}
