// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The state of the Attribute Protocol on one channel: the PDUs that wait to be sent, one
/// outstanding request in each direction, one unconfirmed indication, and the responses due to the
/// peer (Vol 3, Part F, 3.3).
///
/// A bearer has a client and a server at each end, and transfers the PDUs of both. The client's
/// requests and commands are sent in the order in which they were enqueued. A Write Command never
/// overtakes an earlier request, and a request never overtakes an earlier command, because callers
/// rely on the order of their writes. The server's notifications are sent in order, and its
/// indications are sent in order. These three queues take turns, so no queue can block another. A
/// queue that waits for a response or a confirmation does not delay the other queues. Only
/// confirmations and responses have priority, because the peer's own timeout of 30 seconds may be
/// running.
///
/// The bearer sends nothing on its own. Its owner calls `nextPDU(now:)` whenever the link can take
/// another PDU, so that the controller's flow control extends to the bearer, and calls
/// `deadlinePassed(now:)` at `nextDeadline`.
package struct ATTBearer: Sendable {
    /// The identifier of a request, a command, a notification or an indication. The caller chooses
    /// it and keeps it unique.
    package typealias RequestID = UInt64

    /// The maximum number of requests and commands that wait to be sent.
    package static let queueLimit = 256

    /// The maximum number of notifications that wait to be sent.
    package static let notificationLimit = 64

    /// The maximum number of indications that wait to be sent.
    package static let indicationLimit = 64

    /// The time in which a response to a request or a confirmation of an indication must arrive
    /// (Vol 3, Part F, 3.3.3).
    package static let transactionTimeout: Duration = .seconds(30)

    /// The maximum length of a PDU that the local side receives, in bytes, which an MTU exchange
    /// states to the peer.
    package let receiveMTULimit: Int

    /// Whether MTUs can be exchanged. They cannot on an enhanced bearer, whose channel determines
    /// them (Vol 3, Part F, 3.2.8).
    let exchangesMTU: Bool

    /// The maximum length of a PDU that the local side may send, in bytes.
    ///
    /// The value is 23 before an MTU exchange, and then the minimum of the values that both sides
    /// stated in all exchanges (Vol 3, Part F, 3.4.2). If a peer's Exchange MTU Request and
    /// Exchange MTU Response differ, the smaller value applies. An enhanced bearer keeps the MTU
    /// with which it was created.
    package internal(set) var mtu = ATT.defaultMTU

    /// Whether an MTU exchange has determined `mtu`.
    var hasExchangedMTU = false

    /// Whether the link or channel has ended, or a timeout has occurred. A closed bearer neither
    /// sends nor receives.
    package internal(set) var isClosed = false

    // The PDUs that wait to be sent, and the queue that sent last.
    var queue = OutgoingQueue()
    var notifications = OutgoingQueue()
    var indications = OutgoingQueue()
    var latestQueue = SendQueue.requests

    // The PDUs that the peer has not answered or confirmed yet.
    var outstanding: OutstandingRequest?
    var unconfirmed: UnconfirmedIndication?

    // The PDUs that the peer expects.
    var mustConfirm = false
    /// The opcode of the peer's request that the local server has not answered yet.
    var openRequest: ATT.Opcode?
    var reply: Reply?

    /// Creates the bearer of a new link.
    ///
    /// - Parameter receiveMTULimit: 23 to 65,535 bytes. With the default of 517, the longest
    ///   attribute value fits into one Prepare Write Request.
    package init(receiveMTULimit: Int = 517) {
        precondition((ATT.defaultMTU...Int(UInt16.max)).contains(receiveMTULimit), "invalid MTU")
        self.receiveMTULimit = receiveMTULimit
        exchangesMTU = true
    }

    /// Creates an enhanced bearer on a credit-based channel.
    ///
    /// - Parameter mtu: The maximum length of an SDU in both directions: 64 to 65,535 bytes (Vol 3,
    ///   Part G, 5.3.1).
    package init(enhancedMTU mtu: Int) {
        precondition((ATT.enhancedMTUMinimum...Int(UInt16.max)).contains(mtu), "invalid MTU")
        self.mtu = mtu
        receiveMTULimit = mtu
        exchangesMTU = false
    }

    /// The reason why the bearer did not accept a PDU.
    package enum BearerError: Error, Equatable, Sendable {
        /// The queue for this kind of PDU is full.
        case queueFull
        /// The bearer is closed.
        case closed
        /// The PDU is longer than the MTU.
        case pduTooLong(mtu: Int)
    }
}

/// A request that is sent and not yet answered.
struct OutstandingRequest: Sendable {
    let id: ATTBearer.RequestID
    let opcode: ATT.Opcode
    let deadline: Instant
    /// Whether the caller canceled the request. The peer must still answer it before another
    /// request can be sent.
    var isCancelled = false
}

/// An indication that is sent and not yet confirmed.
struct UnconfirmedIndication: Sendable {
    /// The caller's identifier, or `nil` if the caller has canceled the indication.
    var id: ATTBearer.RequestID?
    let deadline: Instant
}

/// A response that is due to the peer.
struct Reply: Sendable {
    let bytes: [UInt8]
    /// The peer's receive MTU if this response ends an MTU exchange. The new MTU then applies once
    /// the response is sent.
    var peerMTU: UInt16?
}
