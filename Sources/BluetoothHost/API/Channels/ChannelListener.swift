// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

/// The channels that peers open to one number, from `BluetoothHost.listen(psm:requirement:)`.
///
/// ```swift
/// let listener = try await host.listen()
/// for try await channel in listener {
///     for try await sdu in channel.sdus { try await channel.send(sdu) }
/// }
/// ```
///
/// Peers are answered at once, also while nobody iterates; so many channels wait here as the
/// listener's backlog allows. `close()`, or letting go of the listener, ends it.
public final class ChannelListener: AsyncSequence, Sendable {
    /// The number that peers ask for.
    public var psm: L2CAP.SPSM { key.spsm }

    private let key: ListenerKey
    private let host: BluetoothHost

    init(key: ListenerKey, host: BluetoothHost) {
        self.key = key
        self.host = host
    }

    deinit {
        host.enter { [key] in $0.stopListening(key) }
    }

    /// Waits for the next channel; nil once nobody listens any more. One task at a time may wait:
    /// another gets `HostError.busy`.
    public func accept() async throws -> L2CAPChannel? {
        try await host.acceptChannel(key)
    }

    /// Ends the listener. Channels that were accepted stay; others are closed.
    public func close() async {
        await host.stopListening(key)
    }

    /// Begins to accept.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: self) }

    /// Accepts channels one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: ChannelListener

        /// The next channel; nil once nobody listens any more.
        public func next() async throws -> L2CAPChannel? { try await listener.accept() }
    }
}

extension BluetoothHost {
    /// Gives channels with credits, of both kinds, to peers that ask for `psm`.
    ///
    /// - Parameters:
    ///   - psm: the number to listen for; nil for one that the host chooses from 0x0080...0x00FF,
    ///     to be told to peers by an attribute, say. The listener has it.
    ///   - requirement: what a link needs for a channel; peers on others are told what is missing.
    ///   - options: what this side receives on the channels.
    ///   - backlog: how many channels may wait to be accepted; further ones are refused.
    ///
    /// Throws `L2CAP.Failure.alreadyListening` where somebody listens for the number, and
    /// `invalidParameters`.
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
