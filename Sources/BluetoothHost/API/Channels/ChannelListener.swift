// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

/// A listener for the channels that peers open to one PSM, from
/// `BluetoothHost.listen(psm:requirement:options:backlog:)`.
///
/// ```swift
/// let listener = try await host.listen()
/// for try await channel in listener {
///     for try await sdu in channel.sdus { try await channel.send(sdu) }
/// }
/// ```
///
/// The host answers peers even while no task accepts. Channels wait in the listener's backlog until
/// they are accepted. `close()`, deallocation, and the shutdown of the host end the listener.
public final class ChannelListener: AsyncSequence, Sendable {
    /// The PSM to which peers open channels.
    public var psm: L2CAP.SPSM { key.spsm }

    private let key: ListenerKey
    private let host: BluetoothHost

    init(key: ListenerKey, host: BluetoothHost) {
        self.key = key
        self.host = host
    }

    deinit {
        host.execute { [key] in $0.stopListening(key) }
    }

    /// Waits for the next channel.
    ///
    /// - Returns: The channel; `nil` after the listener has ended.
    /// - Throws: ``HostError/busy`` if another task is waiting, ``HostError/closed`` if the host is
    ///   shut down during the call, and `CancellationError` if the task is canceled.
    public func accept() async throws -> L2CAPChannel? {
        try await host.acceptChannel(key)
    }

    /// Ends the listener. Accepted channels stay open, and channels in the backlog are closed.
    public func close() async {
        await host.stopListening(key)
    }

    /// Returns an iterator that accepts channels.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: self) }

    /// An iterator that accepts one channel at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: ChannelListener

        /// Waits for the next channel; `nil` after the listener has ended. Throws as `accept()`
        /// does.
        public func next() async throws -> L2CAPChannel? { try await listener.accept() }
    }
}

extension BluetoothHost {
    /// Listens for channels in LE Credit Based and in Enhanced Credit Based Flow Control Mode.
    ///
    /// - Parameters:
    ///   - psm: The PSM to listen for. With `nil`, the host chooses one from 0x0080...0x00FF, which
    ///     ``ChannelListener/psm`` returns.
    ///   - requirement: The link security that a channel requires. On a link with less security,
    ///     the host refuses the channel, and its response contains the reason.
    ///   - options: The sizes and credits with which this side receives on the channels.
    ///   - backlog: The maximum number of channels that wait to be accepted, at least 1. The host
    ///     refuses further channels.
    /// - Returns: The listener.
    /// - Throws: `L2CAP.Failure`: `alreadyListening` if another listener or the host itself uses
    ///   the PSM, no PSM is free, or the host has 256 listeners; `invalidParameters` if a parameter
    ///   is out of range. ``HostError/closed`` if the host is shut down.
    public func listen(
        psm: L2CAP.SPSM? = nil,
        requirement: SecurityRequirement = .open,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions(),
        backlog: Int = 8
    ) async throws -> ChannelListener {
        guard core.state != .closed else { throw HostError.closed }
        var terms = ListenerTerms()
        terms.requirement = requirement
        terms.options = options
        let key = try core.listen(psm, terms: terms, backlogLimit: backlog)
        return ChannelListener(key: key, host: self)
    }
}
