// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

/// A connection-oriented channel with credits, from `Link.openChannel(psm:options:)` or a
/// `ChannelListener` (Vol 3, Part A, 10).
///
/// A channel carries SDUs, byte strings with a beginning and an end, in both directions, all of
/// them and in order. Neither side can be flooded: a peer sends as far as the credits go that
/// this side gave, and gets them back as SDUs are received here; `send(_:)` waits for the peer's.
///
/// ```swift
/// let channel = try await link.openChannel(psm: 0x0080)
/// try await channel.send(Array("hello".utf8))
/// for try await sdu in channel.sdus { print(sdu.count) }
/// ```
///
/// A value that names the channel: copies name the same one. Letting go of it does not close the
/// channel; `close()` does, and so does the end of the link.
public struct L2CAPChannel: Sendable, Hashable {
    /// The link that the channel is on.
    public let link: Link

    let number: ChannelNumber

    /// Whether both name the same channel.
    public static func == (left: L2CAPChannel, right: L2CAPChannel) -> Bool {
        left.link == right.link && left.number == right.number
    }

    /// Hashes the identity of the channel.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }

    /// How a channel ended.
    public enum End: Sendable, Equatable {
        /// By `close()`.
        case closed
        /// The peer closed it.
        case closedByPeer
        /// The peer broke the rules, and the host closed it.
        case violated(L2CAP.Violation)
        /// The link ended.
        case linkEnded(HostError)

        init(_ failure: L2CAP.Failure) {
            self =
                switch failure {
                case .closedByPeer: .closedByPeer
                case .violated(let violation): .violated(violation)
                default: .closed
                }
        }

        /// What `send(_:)` throws on a channel that ended so.
        var error: any Error {
            switch self {
            case .closed: L2CAP.Failure.closed
            case .closedByPeer: L2CAP.Failure.closedByPeer
            case .violated(let violation): L2CAP.Failure.violated(violation)
            case .linkEnded(let error): error
            }
        }
    }

    /// What is known of an open channel at one moment.
    public struct Properties: Sendable, Equatable {
        /// What it is for.
        public let psm: L2CAP.SPSM
        /// Of which kind it is.
        public let mode: L2CAP.Mode
        /// The longest SDU that the peer receives, in octets.
        public let sendMTU: Int
        /// The longest SDU that this side receives, in octets.
        public let receiveMTU: Int
        /// How many frames the peer allows us now.
        public let sendCredits: Int
        /// How many frames we allow the peer now.
        public let receiveCredits: Int
    }
}

extension L2CAPChannel {
    /// The channel's properties now. Throws why it ended if it is not open.
    public var properties: Properties {
        get async throws { try await link.host.properties(of: self) }
    }

    /// Sends one SDU, at most `properties.sendMTU` octets.
    ///
    /// Returns when all of it is in the controller's buffers, so that a loop of these runs at the
    /// speed of the peer's reader. SDUs leave in the order of the calls. Throws `L2CAP.Failure` if
    /// the channel ends first or the SDU is too long, `HostError.disconnected` if the link does,
    /// and `CancellationError` if the task is cancelled; an SDU that has begun to leave will then
    /// arrive all the same.
    public func send(_ sdu: [UInt8]) async throws {
        _ = try await link.host.request(.send(sdu, number), of: link.identifier)
    }

    /// Waits for the next SDU; nil after an orderly end of the channel, by whichever side.
    ///
    /// What arrived before the peer closed the channel, or the link ended, is given out first.
    /// Receiving returns credits: a channel that nobody receives from stops its peer, and holds no
    /// more than `L2CAP.ChannelOptions.window` frames. One task at a time may wait: another
    /// gets `HostError.busy`. Throws `L2CAP.Failure.violated` or the link's `HostError` after the
    /// end of that kind.
    public func receive() async throws -> [UInt8]? {
        let answer = try await link.host.request(.receive(number), of: link.identifier)
        guard case .sdu(let sdu) = answer else { throw HostError.malformedAnswer }
        return sdu
    }

    /// The SDUs that `receive()` would give, as a sequence that ends with the channel.
    public var sdus: SDUs { SDUs(channel: self) }

    /// SDUs as they arrive; see `L2CAPChannel.receive()`.
    public struct SDUs: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let channel: L2CAPChannel

        /// The sequence is its own iterator: what one has taken, another does not get.
        public func makeAsyncIterator() -> SDUs { self }

        /// The next SDU; nil after an orderly end.
        public func next() async throws -> [UInt8]? { try await channel.receive() }
    }

    /// Tells the peer to send SDUs up to `mtu` octets in frames up to `mps`; on enhanced channels
    /// only. The MTU cannot shrink (Vol 3, Part A, 4.27). Returns when the peer has agreed.
    public func resize(mtu: Int, mps: Int) async throws {
        _ = try await link.host.request(
            .resize([number], mtu: mtu, mps: mps),
            of: link.identifier
        )
    }

    /// Closes the channel, if it is open. SDUs that still wait to be sent are not sent; those that
    /// nobody has received are dropped. Returns when the peer has confirmed it, by which all that
    /// was sent before is known to have arrived; a task that is cancelled does not wait.
    public func close() async {
        await link.host.close(self)
    }

    /// Waits for the end of the channel, and returns how it ended; at once if it has.
    public func ended() async throws -> End {
        let answer = try await link.host.request(.awaitEnd(number), of: link.identifier)
        guard case .end(let end) = answer else { throw HostError.malformedAnswer }
        return end
    }
}
