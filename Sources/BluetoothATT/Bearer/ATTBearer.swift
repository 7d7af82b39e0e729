// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// One conversation of the Attribute Protocol: what we want to send and may not send yet, the one
/// request that is unanswered in each direction, the one indication that is unconfirmed, and what
/// we owe the other side (Vol 3, Part F, 3.3).
///
/// A bearer has a client and a server at each end, and carries what both of ours have to say. The
/// client's requests and commands leave in the order in which they were handed over: a Write
/// Command never passes a request that was handed over before it, nor the other way round, because
/// callers rely on the order of their writes. The server's notifications keep their order, and so
/// do its indications. These three lanes take turns, so none starves another, and a lane that has
/// to wait (for an answer, for a confirmation) holds nobody back. Only confirmations and responses
/// go ahead of all, since the peer may be waiting for them with its own thirty seconds running.
///
/// Nothing leaves of itself. Whoever owns the bearer calls `nextPDU(now:)` whenever the link has
/// room for one more PDU, so that the controller's flow control reaches up to here, and calls
/// `deadlinePassed(now:)` at `nextDeadline`.
package struct ATTBearer: Sendable {
    /// Names a request, a command, a notification or an indication to its caller, who chooses it
    /// and keeps it unique.
    package typealias RequestID = UInt64

    /// How many requests and commands can wait to leave.
    package static let queueLimit = 256

    /// How many notifications can wait to leave.
    package static let notificationLimit = 64

    /// How many indications can wait to leave.
    package static let indicationLimit = 64

    /// How long a request waits for its response, and an indication for its confirmation
    /// (Vol 3, Part F, 3.3.3).
    package static let transactionTimeout: Duration = .seconds(30)

    /// The longest PDU that we can receive, in octets, as we tell the peer in an MTU exchange.
    package let receiveMTULimit: Int

    /// Whether MTUs can be exchanged: not on an enhanced bearer, whose channel has settled them
    /// (Vol 3, Part F, 3.2.8).
    let exchangesMTU: Bool

    /// The longest PDU that either side may send, in octets. It grows at an MTU exchange, and
    /// never shrinks.
    package internal(set) var mtu = ATT.defaultMTU

    /// Set when the link has ended, or something was not answered in time: nothing moves any more.
    package internal(set) var isClosed = false

    // What waits to leave, and whose turn it was last.
    var queue = OutgoingQueue()
    var notifications = OutgoingQueue()
    var indications = OutgoingQueue()
    var latestLane = Lane.requests

    // What waits for the peer.
    var outstanding: OutstandingRequest?
    var unconfirmed: UnconfirmedIndication?

    // What the peer waits for.
    var owesConfirmation = false
    /// The peer's request that our server has not answered yet.
    var openRequest: ATT.Opcode?
    var reply: Reply?

    /// Makes the bearer of a new link. `receiveMTULimit` is 23 to 65,535 octets; 517 carries the
    /// longest attribute value in one Prepare Write.
    package init(receiveMTULimit: Int = 517) {
        precondition((ATT.defaultMTU...Int(UInt16.max)).contains(receiveMTULimit), "no such MTU")
        self.receiveMTULimit = receiveMTULimit
        exchangesMTU = true
    }

    /// Makes an enhanced bearer, on a credit-based channel that carries SDUs of up to `mtu` octets
    /// in both directions: 64 to 65,535 (Vol 3, Part G, 5.3.1).
    package init(enhancedMTU mtu: Int) {
        precondition((ATT.enhancedMTUMinimum...Int(UInt16.max)).contains(mtu), "no such MTU")
        self.mtu = mtu
        receiveMTULimit = mtu
        exchangesMTU = false
    }

    /// Why the bearer did not take a PDU to send.
    package enum BearerError: Error, Equatable, Sendable {
        /// As many PDUs of this kind wait already as can.
        case queueFull
        /// The bearer is closed.
        case closed
        /// The PDU is longer than the MTU.
        case pduTooLong(mtu: Int)
    }
}

/// A request that has left and is not answered yet.
struct OutstandingRequest: Sendable {
    let id: ATTBearer.RequestID
    let opcode: ATT.Opcode
    let deadline: Instant
    /// The caller wants to hear of it no more; the peer must answer it all the same before another
    /// request may leave.
    var isCancelled = false
}

/// An indication that has left and is not confirmed yet.
struct UnconfirmedIndication: Sendable {
    /// Nil once the caller wants to hear of it no more.
    var id: ATTBearer.RequestID?
    let deadline: Instant
}

/// An answer that we owe the peer.
struct Reply: Sendable {
    let bytes: [UInt8]
    /// What the peer can receive, if the answer ends an MTU exchange: it holds from then on.
    var peerMTU: UInt16?
}
