// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// A PDU that leaves.
    package struct Outgoing: Equatable, Sendable {
        package let bytes: [UInt8]
        /// The command that is done now, for it has no answer; nil if this is no command, or one
        /// without a name.
        package let completedCommand: RequestID?
    }

    /// Whether another request or command would be taken.
    package var hasRoom: Bool { !isClosed && queue.count < Self.queueLimit }

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
        guard !isClosed else { throw .closed }
        guard queue.count < Self.queueLimit else { throw .queueFull }
        let bytes = pdu.encode()
        guard bytes.count <= mtu else { throw .pduTooLong(mtu: mtu) }
        queue.append(.init(bytes: bytes, opcode: pdu.opcode, id: id))
    }

    /// Forgets a request or a command. If it has not left yet, it never will; if it has left, its
    /// answer is swallowed when it comes. Either way nothing is reported for it any more.
    package mutating func cancel(_ id: RequestID) {
        if outstanding?.id == id {
            outstanding?.isCancelled = true
        } else {
            queue.remove(id)
        }
    }

    /// The next PDU to send, or nil if there is none for now: confirmations and replies first,
    /// then requests and commands in their order. A request waits until the one before it is
    /// answered, and what was handed over after it waits with it.
    package mutating func nextPDU(now: Instant) -> Outgoing? {
        guard !isClosed else { return nil }
        if owesConfirmation {
            owesConfirmation = false
            return Outgoing(bytes: ATT.PDU.handleValueConfirmation.encode(), completedCommand: nil)
        }
        if let reply { return leave(reply) }
        guard let next = queue.first, next.isCommand || outstanding == nil else { return nil }
        queue.removeFirst()
        guard !next.isCommand else {
            return Outgoing(bytes: next.bytes, completedCommand: next.id)
        }
        outstanding = next.id.map {
            let deadline = now + Self.transactionTimeout
            return OutstandingRequest(id: $0, opcode: next.opcode, deadline: deadline)
        }
        return Outgoing(bytes: next.bytes, completedCommand: nil)
    }

    private mutating func leave(_ reply: Reply) -> Outgoing {
        self.reply = nil
        if let peerMTU = reply.peerMTU { raiseMTU(to: peerMTU) }
        return Outgoing(bytes: reply.pdu.encode(), completedCommand: nil)
    }

    /// Takes what the other side can receive into account (Vol 3, Part F, 3.4.2.2). Less than 23
    /// counts as 23, and a second exchange that would lower the MTU is not followed: PDUs that
    /// wait already would be too long all at once.
    mutating func raiseMTU(to peerMTU: UInt16) {
        mtu = max(mtu, min(Int(peerMTU), receiveMTULimit))
    }
}
