// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

extension BluetoothHost {
    /// Scans until the stream is dropped or its task is canceled.
    ///
    /// Several scans may run at once. The controller scans in a way that satisfies all of them, and
    /// each stream gets the advertisements that its own filter admits. If the adapter is not ready,
    /// the scan begins when it is. A scan continues after the controller was reset.
    ///
    /// - Parameters:
    ///   - filter: The advertisements to yield; all of them by default.
    ///   - parameters: The controller's scan parameters.
    ///   - reportsDuplicates: Whether to yield an advertiser again when its data has not changed,
    ///     for example to follow its signal strength. The controller then filters no duplicates,
    ///     regardless of `parameters`.
    /// - Returns: A stream of advertisements, each merged with the newest scan response. A reader
    ///   that is more than `HostConfiguration.advertisementBufferLimit` behind misses the oldest.
    ///   The stream keeps the host alive. The stream throws `HostError.closed` when the host is
    ///   shut down, `HostError.controller` if the controller refuses to scan,
    ///   `HostError.commandTimedOut` if the controller does not answer the commands for a scan, and
    ///   `HostError.tooManyRequests` if 16 scans are running already.
    public nonisolated func scan(
        for filter: ScanFilter = ScanFilter(),
        parameters: ScanParameters = ScanParameters(),
        reportsDuplicates: Bool = false
    ) -> AsyncThrowingStream<Advertisement, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Advertisement.self,
            bufferingPolicy: .bufferingNewest(configuration.advertisementBufferLimit)
        )
        let request = ScanRequest(
            filter: filter,
            parameters: parameters,
            reportsDuplicates: reportsDuplicates
        )
        let id = takeRequest()
        // The handler is set before the stream is returned, because a stream that has already ended
        // does not call it. The closure keeps the host alive until the stream ends and releases it.
        continuation.onTermination = { _ in self.execute { $0.stopScan(id) } }
        execute { $0.startScan(request, id: id, into: continuation) }
        return stream
    }

    /// Connects to the device with this address.
    ///
    /// Returns when the link is usable: the peer has answered on it, and the link is encrypted if
    /// the peer is bonded. If the connection fails to be established (reason 0x3E, frequent at the
    /// edge of range), the host connects again: up to nine times within the timeout, and without a
    /// limit for a `whenAvailable` request. If the task is canceled, the host withdraws the request
    /// and ends a link that is not usable yet.
    ///
    /// - Parameters:
    ///   - address: The peer's address.
    ///   - options: The approach, the timeout, and the timing of the link.
    /// - Returns: The usable link.
    /// - Throws: ``HostError/timedOut`` after `options.timeout`, or if the peer does not answer on
    ///   the link; ``HostError/adapter(_:)`` if the adapter is not ready or fails (a
    ///   `whenAvailable` request waits for the adapter instead); ``HostError/alreadyConnecting``;
    ///   ``HostError/failedToConnect(_:)``; ``HostError/commandTimedOut``;
    ///   ``HostError/tooManyRequests`` if a queue is full; ``HostError/closed`` if the host is shut
    ///   down; the error of ``Link/pair(_:)`` if the link to a bonded peer cannot be encrypted; and
    ///   `CancellationError` if the task is canceled.
    public func connect(
        to address: DeviceAddress,
        options: ConnectOptions = ConnectOptions()
    ) async throws -> Link {
        try Task.checkCancellation()
        let answer = try await perform { core, id, now in
            core.requestConnection(address, options: options, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancelConnectionRequest(id, now: now)
        }
        guard case .link(let identifier, let peer) = answer else { throw HostError.malformedAnswer }
        return Link(host: self, identifier: identifier, address: peer)
    }

    /// The open links, oldest first.
    public var links: [Link] {
        core.linkList.map { Link(host: self, identifier: $0.identifier, address: $0.peer) }
    }
}
