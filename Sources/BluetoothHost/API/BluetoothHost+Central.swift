// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

extension BluetoothHost {
    /// Scans until the stream is dropped or its task cancelled.
    ///
    /// Several scans may run at once: the controller does what satisfies them all, and each stream
    /// gets what its own filter admits. A scan asked for while the adapter is not ready begins when
    /// it is, and goes on after the controller was reset.
    ///
    /// - Parameters:
    ///   - filter: which advertisements are wanted; everything by default.
    ///   - parameters: how the controller listens.
    ///   - reportsDuplicates: whether to yield an advertiser again when it says the same again;
    ///     asked for by those who follow signal strength. The controller then leaves none out,
    ///     whatever `parameters` says.
    /// - Returns: the advertisements, each with the newest scan response merged in. A reader that
    ///   lags more than `HostConfiguration.advertisementBufferLimit` behind misses the oldest. The
    ///   stream throws `HostError.closed` when the host is shut down, `HostError.controller` if the
    ///   controller refuses to scan, and `HostError.tooManyRequests` where 16 scans run already.
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
        // Before the stream is anybody's: the end of one that has ended already is never told.
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.stopScan(id) }
        }
        enter { $0.startScan(request, id: id, into: continuation) }
        return stream
    }

    /// Connects to the device with this address.
    ///
    /// Returns when the link is usable: the peer has answered on it. A link that the peer never
    /// joined (reason 0x3E, frequent at the edge of range) is dialled again within the time
    /// allowed. Cancelling the task gives up, and ends a link that is half made.
    ///
    /// Throws `HostError`: `timedOut` after `options.timeout`; `adapter` if the adapter is not
    /// ready or fails (a connection of the kind `whenAvailable` waits for it to come back instead);
    /// `alreadyConnecting`; `failedToConnect`.
    public func connect(
        to address: DeviceAddress,
        options: ConnectOptions = ConnectOptions()
    ) async throws -> Link {
        try Task.checkCancellation()
        let answer = try await perform { core, id, now in
            core.dial(address, options: options, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancelDial(id, now: now)
        }
        guard case .link(let identifier, let peer) = answer else { throw HostError.malformedAnswer }
        return Link(host: self, identifier: identifier, address: peer)
    }

    /// The links there are now.
    public var links: [Link] {
        core.linkList.map { Link(host: self, identifier: $0.identifier, address: $0.peer) }
    }
}
