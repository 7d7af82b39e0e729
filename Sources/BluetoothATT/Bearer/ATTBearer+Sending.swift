// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// A PDU that leaves.
    package struct Outgoing: Equatable, Sendable {
        package let bytes: [UInt8]
        /// The command or notification that is done now, for it has no answer; nil if this is
        /// neither, or one without a name.
        package let completedCommand: RequestID?
    }

    /// Whether another request or command would be taken.
    package var hasRoom: Bool { !isClosed && queue.count < Self.queueLimit }

    /// Whether this request has left and is not answered yet.
    package func isOutstanding(_ id: RequestID) -> Bool { outstanding?.id == id }

    /// Hands over a request to send as soon as its turn comes. What becomes of it is told by
    /// `receive`, `deadlinePassed` or `close`, once, unless it is cancelled.
    ///
    /// An Exchange MTU Request must offer `receiveMTULimit`, as both our roles must agree on it
    /// (Vol 3, Part F, 3.4.2.2).
    package mutating func request(_ pdu: ATT.PDU, id: RequestID) throws(BearerError) {
        precondition(pdu.opcode.isRequest, "\(pdu.opcode) is no request")
        if case .exchangeMTURequest(let exchange) = pdu {
            precondition(Int(exchange.receiveMTU) == receiveMTULimit, "another MTU than ours")
        }
        try enqueue(pdu, id: id)
    }

    /// Hands over a command to send as soon as its turn comes: it is complete when it leaves. With
    /// no `id`, nobody is told.
    package mutating func command(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        precondition(pdu.opcode.isCommand, "\(pdu.opcode) is no command")
        try enqueue(pdu, id: id)
    }

    private mutating func enqueue(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        let element = try element(pdu, id, behind: queue.count, limit: Self.queueLimit)
        queue.append(element)
    }

    /// What is to wait in a queue of `count` that has room for `limit`.
    func element(
        _ pdu: ATT.PDU,
        _ id: RequestID?,
        behind count: Int,
        limit: Int
    ) throws(BearerError) -> OutgoingQueue.Element {
        guard !isClosed else { throw .closed }
        guard count < limit else { throw .queueFull }
        let bytes = pdu.encode()
        guard bytes.count <= mtu else { throw .pduTooLong(mtu: mtu) }
        return .init(bytes: bytes, opcode: pdu.opcode, id: id)
    }

    /// Forgets a request, a command, a notification or an indication. If it has not left yet, it
    /// never will; if it has left, its answer is swallowed when it comes. Either way nothing is
    /// reported for it any more.
    package mutating func cancel(_ id: RequestID) {
        if outstanding?.id == id {
            outstanding?.isCancelled = true
        } else if unconfirmed?.id == id {
            unconfirmed?.id = nil
        } else {
            queue.remove(id)
            notifications.remove(id)
            indications.remove(id)
        }
    }

    /// The next PDU to send, or nil if there is none for now: a confirmation first, then a
    /// response, then what the lanes hold, each in its turn.
    package mutating func nextPDU(now: Instant) -> Outgoing? {
        guard !isClosed else { return nil }
        if owesConfirmation {
            owesConfirmation = false
            return Outgoing(bytes: ATT.PDU.handleValueConfirmation.encode(), completedCommand: nil)
        }
        if let reply { return leave(reply) }
        return nextOfLanes(now: now)
    }

    private mutating func leave(_ reply: Reply) -> Outgoing {
        self.reply = nil
        if let peerMTU = reply.peerMTU { raiseMTU(to: peerMTU) }
        return Outgoing(bytes: reply.bytes, completedCommand: nil)
    }

    /// Takes what the other side can receive into account (Vol 3, Part F, 3.4.2.2). Less than 23
    /// counts as 23, and a second exchange that would lower the MTU is not followed: PDUs that
    /// wait already would be too long all at once.
    mutating func raiseMTU(to peerMTU: UInt16) {
        mtu = max(mtu, min(Int(peerMTU), receiveMTULimit))
    }
}
