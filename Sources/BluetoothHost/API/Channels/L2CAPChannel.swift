// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

/// A connection-oriented channel with credit-based flow control, from
/// `Link.openChannel(psm:options:)` or a ``ChannelListener`` (Vol 3, Part A, 10).
///
/// A channel carries SDUs, which are byte strings of a given length, reliably and in order in both
/// directions. Neither side can overrun the other: the peer sends as many frames as this side has
/// given it credits for, and gets credits back when the application receives SDUs.
///
/// ```swift
/// let channel = try await link.openChannel(psm: 0x0080)
/// try await channel.send(Array("hello".utf8))
/// for try await sdu in channel.sdus { print(sdu.count) }
/// ```
///
/// The value identifies the channel, and copies identify the same channel. Dropping the value does
/// not close the channel. The channel ends with `close()`, or with the link.
public struct L2CAPChannel: Sendable, Hashable {
    /// The link that the channel is on.
    public let link: Link

    let number: ChannelNumber

    /// Returns whether both values identify the same channel.
    public static func == (left: L2CAPChannel, right: L2CAPChannel) -> Bool {
        left.link == right.link && left.number == right.number
    }

    /// Hashes the identity of the channel.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }

    /// The way in which a channel ended.
    public enum End: Sendable, Equatable {
        /// The application closed the channel with `close()`, or the host has forgotten the end.
        case closed
        /// The peer closed the channel.
        case closedByPeer
        /// The peer violated the protocol, and the host closed the channel.
        case violated(L2CAP.Violation)
        /// The link ended for this reason.
        case linkEnded(HostError)

        init(_ failure: L2CAP.Failure) {
            self =
                switch failure {
                case .closedByPeer: .closedByPeer
                case .violated(let violation): .violated(violation)
                default: .closed
                }
        }

        /// The error of `send(_:)` on a channel that ended in this way.
        var error: any Error {
            switch self {
            case .closed: L2CAP.Failure.closed
            case .closedByPeer: L2CAP.Failure.closedByPeer
            case .violated(let violation): L2CAP.Failure.violated(violation)
            case .linkEnded(let error): error
            }
        }
    }

    /// The properties of an open channel at one moment.
    public struct Properties: Sendable, Equatable {
        /// The PSM of the channel.
        public let psm: L2CAP.SPSM
        /// The mode of the channel.
        public let mode: L2CAP.Mode
        /// The length of the longest SDU that the peer receives, in bytes.
        public let sendMTU: Int
        /// The length of the longest SDU that this side receives, in bytes.
        public let receiveMTU: Int
        /// The number of frames that this side may send now.
        public let sendCredits: Int
        /// The number of frames that the peer may send now.
        public let receiveCredits: Int
    }
}

extension L2CAPChannel {
    /// The channel's current properties. Throws the reason why the channel ended if it is not open.
    public var properties: Properties {
        get async throws { try await link.host.properties(of: self) }
    }

    /// Sends one SDU.
    ///
    /// Waits for the peer's credits. Returns when the last frame is in the controller's buffers or
    /// in the queue of at most eight frames before them, so that a loop of these calls runs at the
    /// speed of the peer's reader. SDUs leave in the order of the calls.
    ///
    /// - Parameter sdu: At most `properties.sendMTU` bytes.
    /// - Throws: `L2CAP.Failure` if the channel ends first, the SDU is too long or 64 SDUs already
    ///   wait, the reason why the link ended (see ``Link``) if the link ends first,
    ///   ``HostError/tooManyRequests`` if too many requests of the host wait, and
    ///   `CancellationError` if the task is canceled. If the host has sent part of the SDU before
    ///   the cancellation, it sends the remaining bytes.
    public func send(_ sdu: [UInt8]) async throws {
        _ = try await link.host.request(.send(sdu, number), of: link.identifier)
    }

    /// Waits for the next SDU.
    ///
    /// SDUs that arrived before the peer closed the channel, or before the link ended, are returned
    /// first. If no task receives, the channel holds as many frames as the peer had credits for
    /// (see `L2CAP.ChannelOptions.window`), and the peer has to stop.
    ///
    /// - Returns: The SDU; `nil` after either side has closed the channel.
    /// - Throws: ``HostError/busy`` if another task is waiting, `L2CAP.Failure.violated` if the
    ///   peer violated the protocol, the reason why the link ended (see ``Link``),
    ///   ``HostError/tooManyRequests`` if too many requests of the host wait, and
    ///   `CancellationError` if the task is canceled.
    public func receive() async throws -> [UInt8]? {
        let answer = try await link.host.request(.receive(number), of: link.identifier)
        guard case .sdu(let sdu) = answer else { throw HostError.malformedAnswer }
        return sdu
    }

    /// The SDUs that `receive()` returns, as a sequence that ends with the channel.
    public var sdus: SDUs { SDUs(channel: self) }

    /// A sequence of SDUs as they arrive. See `L2CAPChannel.receive()`.
    public struct SDUs: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let channel: L2CAPChannel

        /// Returns the sequence itself. Iterators share the SDUs, so that each SDU goes to one of
        /// them.
        public func makeAsyncIterator() -> SDUs { self }

        /// Waits for the next SDU; `nil` after either side has closed the channel. Throws as
        /// `L2CAPChannel.receive()` does.
        public func next() async throws -> [UInt8]? { try await channel.receive() }
    }

    /// Changes the sizes that this side receives, on enhanced channels only (Vol 3, Part A, 4.27).
    /// Returns when the peer has agreed.
    ///
    /// - Parameters:
    ///   - mtu: The length of the longest SDU, in bytes. It cannot become smaller.
    ///   - mps: The length of the longest frame, in bytes.
    /// - Throws: `L2CAP.Failure`, for example `reconfigurationRefused`, or `closed` if the channel
    ///   is not open. The reason why the link ended (see ``Link``) if the link ends during the
    ///   call. ``HostError/tooManyRequests`` if too many requests of the host wait.
    ///   `CancellationError` if the task is canceled.
    public func resize(mtu: Int, mps: Int) async throws {
        _ = try await link.host.request(
            .resize([number], mtu: mtu, mps: mps),
            of: link.identifier
        )
    }

    /// Closes the channel if it is open.
    ///
    /// The host drops SDUs that wait to be sent and SDUs that no task has received. Returns when
    /// the peer has confirmed the disconnection, when it has not responded within 30 seconds, or
    /// when the link has ended. If the peer has confirmed, it has received all SDUs whose
    /// `send(_:)` has returned. A canceled task does not wait.
    public func close() async {
        await link.host.close(self)
    }

    /// Waits until the channel has ended, and returns how. Returns at once if it has ended already.
    ///
    /// - Returns: The way in which the channel ended; `closed` if the host has forgotten it. The
    ///   host remembers the ends of the last 64 channels.
    /// - Throws: `CancellationError` if the task is canceled.
    public func ended() async throws -> End {
        let answer = try await link.host.request(.awaitEnd(number), of: link.identifier)
        guard case .end(let end) = answer else { throw HostError.malformedAnswer }
        return end
    }
}
