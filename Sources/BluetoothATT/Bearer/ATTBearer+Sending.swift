// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// A PDU to send.
    package struct Outgoing: Equatable, Sendable {
        package let bytes: [UInt8]
        /// The identifier of a command or notification, which is complete once it is sent because
        /// it has no response. The value is `nil` for other PDUs and for a PDU without an
        /// identifier.
        package let completedCommand: RequestID?
    }

    /// Whether the bearer would accept another request or command.
    package var hasRoom: Bool { !isClosed && queue.count < Self.queueLimit }

    /// Returns whether this request is sent and not yet answered.
    package func isOutstanding(_ id: RequestID) -> Bool { outstanding?.id == id }

    /// Enqueues a request.
    ///
    /// `receive`, `deadlinePassed` or `close` reports its result exactly once, unless the request
    /// is canceled. An Exchange MTU Request must offer `receiveMTULimit`, because the client and
    /// the server of a device must use the same value (Vol 3, Part F, 3.4.2.2).
    ///
    /// - Throws: ``BearerError`` if the bearer cannot enqueue the PDU.
    package mutating func request(_ pdu: ATT.PDU, id: RequestID) throws(BearerError) {
        precondition(pdu.opcode.isRequest, "\(pdu.opcode) is not a request")
        if case .exchangeMTURequest(let exchange) = pdu {
            precondition(
                Int(exchange.receiveMTU) == receiveMTULimit,
                "the MTU must be receiveMTULimit"
            )
        }
        try enqueue(pdu, id: id)
    }

    /// Enqueues a command, which is complete when it is sent. If `id` is `nil`, its completion is
    /// not reported.
    package mutating func command(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        precondition(pdu.opcode.isCommand, "\(pdu.opcode) is not a command")
        try enqueue(pdu, id: id)
    }

    private mutating func enqueue(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        let element = try element(pdu, id, behind: queue.count, limit: Self.queueLimit)
        guard element.bytes.count <= mtu else { throw .pduTooLong(mtu: mtu) }
        queue.append(element)
    }

    /// Returns an element for a queue of `count` elements with the given limit.
    func element(
        _ pdu: ATT.PDU,
        _ id: RequestID?,
        behind count: Int,
        limit: Int
    ) throws(BearerError) -> OutgoingQueue.Element {
        guard !isClosed else { throw .closed }
        guard count < limit else { throw .queueFull }
        return .init(bytes: pdu.encode(), opcode: pdu.opcode, id: id)
    }

    /// Cancels a request, a command, a notification or an indication.
    ///
    /// A PDU that is not sent yet is removed. No further result with this identifier is reported:
    /// the response to a request that is already sent is ignored, and a confirmation is reported
    /// without an identifier. A request or an indication that is already sent keeps its deadline:
    /// the bearer closes if no response or confirmation comes.
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

    /// Returns the next PDU to send, or `nil` if there is none: a confirmation first, then a
    /// response, then the PDUs of the queues in turn.
    package mutating func nextPDU(now: Instant) -> Outgoing? {
        guard !isClosed else { return nil }
        if mustConfirm {
            mustConfirm = false
            return Outgoing(bytes: ATT.PDU.handleValueConfirmation.encode(), completedCommand: nil)
        }
        if let reply { return takeReply(reply) }
        return nextInTurn(now: now)
    }

    private mutating func takeReply(_ reply: Reply) -> Outgoing {
        self.reply = nil
        if let peerMTU = reply.peerMTU { settleMTU(with: peerMTU) }
        return Outgoing(bytes: reply.bytes, completedCommand: nil)
    }

    /// Sets the MTU at the end of an MTU exchange. `peerMTU` is the maximum length of a PDU that
    /// the peer receives (Vol 3, Part F, 3.4.2). A value below 23 counts as 23.
    ///
    /// A second exchange, or one in the other direction, never increases the MTU. Requests and
    /// commands that are already enqueued are sent unchanged, even if they are longer than the new
    /// MTU.
    mutating func settleMTU(with peerMTU: UInt16) {
        let exchanged = min(max(Int(peerMTU), ATT.defaultMTU), receiveMTULimit)
        mtu = hasExchangedMTU ? min(mtu, exchanged) : exchanged
        hasExchangedMTU = true
    }
}
