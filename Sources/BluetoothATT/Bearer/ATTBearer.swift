// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// One conversation of the Attribute Protocol: the queue of what we want to send, the one request
/// that is unanswered, and what we owe the other side (Vol 3, Part F, 3.3).
///
/// Requests and commands leave in the order in which they were handed over: a Write Command never
/// passes a request that was handed over before it, nor the other way round, because callers rely
/// on the order of their writes. Only confirmations and replies go ahead of both, since the peer
/// may be waiting for them with its own thirty seconds running.
///
/// Nothing leaves of itself. Whoever owns the bearer calls `nextPDU(now:)` whenever the link has
/// room for one more PDU, so that the controller's flow control reaches up to here, and calls
/// `deadlinePassed(now:)` at `nextDeadline`.
package struct ATTBearer: Sendable {
    /// Names a request or a command to its caller, who chooses it and keeps it unique.
    package typealias RequestID = UInt64

    /// How many requests and commands can wait to leave.
    package static let queueLimit = 256

    /// How long a request waits for its response (Vol 3, Part F, 3.3.3).
    package static let transactionTimeout: Duration = .seconds(30)

    /// The longest PDU that we can receive, in octets, as we tell the peer in an MTU exchange.
    package let receiveMTULimit: Int

    /// The longest PDU that either side may send, in octets. It grows at an MTU exchange, and
    /// never shrinks.
    package internal(set) var mtu = ATT.defaultMTU

    /// Set when the link has ended, or a request was not answered in time: nothing moves any more.
    package internal(set) var isClosed = false

    var queue = OutgoingQueue()
    var outstanding: OutstandingRequest?
    var owesConfirmation = false
    var reply: Reply?

    /// Makes the bearer of a new link. `receiveMTULimit` is 23 to 65,535 octets; 517 carries the
    /// longest attribute value in one Prepare Write.
    package init(receiveMTULimit: Int = 517) {
        precondition((ATT.defaultMTU...Int(UInt16.max)).contains(receiveMTULimit), "no such MTU")
        self.receiveMTULimit = receiveMTULimit
    }

    /// Why the bearer did not take a PDU to send.
    package enum BearerError: Error, Equatable, Sendable {
        /// `queueLimit` PDUs wait already.
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

/// An answer that we owe the peer.
struct Reply: Sendable {
    let pdu: ATT.PDU
    /// What the peer can receive, if the answer ends an MTU exchange: it holds from then on.
    var peerMTU: UInt16?
}
