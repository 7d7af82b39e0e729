// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// What a PDU that arrived means to us.
    package enum Received: Equatable, Sendable {
        /// The answer to a request; of the kind that belongs to it, never an Error Response.
        case response(RequestID, ATT.PDU)
        /// The server refused a request.
        case failure(RequestID, ATT.ErrorResponse)
        case notification(ATT.HandleValueNotification)
        /// The server told a value; the confirmation waits to leave already.
        case indication(ATT.HandleValueIndication)
        case multipleNotification(ATT.MultipleHandleValueNotification)
        /// A request that our server has to answer, by `respond`: any known one but an exchange
        /// of MTUs.
        case request(ATT.PDU)
        /// A command to our server. There is no answer.
        case command(ATT.PDU)
        /// Our indication was confirmed; nil if its caller has cancelled it.
        case confirmed(RequestID?)
        /// A request that the bearer answers by itself; the answer waits to leave already.
        case answered
        /// Lawful, and without effect.
        case ignored(IgnoredReason)
        /// Against the protocol. The bearer goes on; the request that is named has failed.
        case violation(RequestID?, Violation)
    }

    /// Why something lawful has no effect.
    package enum IgnoredReason: Equatable, Sendable {
        /// It came after the end.
        case closed
        /// It answers a request that was cancelled.
        case cancelled
        /// A command that this code does not know.
        case command(ATT.Opcode)
    }

    /// What the peer did against the protocol.
    package enum Violation: Equatable, Sendable {
        /// The PDU has another form than it must have. If it was a request, the answer says so.
        case malformed(MalformedBytes)
        /// The PDU is longer than we said we can receive.
        case tooLong(count: Int)
        /// A response or confirmation to which there is no request or indication.
        case unexpected(ATT.Opcode)
        /// A request or indication although the one before it is not answered yet
        /// (Vol 3, Part F, 3.3.2). It is not answered.
        case hasty(ATT.Opcode)
    }

    /// Takes in one PDU: the payload of a frame that came on the bearer's channel.
    ///
    /// A response that does not belong to the outstanding request leaves that request as it is.
    /// It may be the second copy of an earlier answer, and the right one still on its way; a
    /// request given up on would hand that right answer to the next request of its kind.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) -> Received {
        guard !isClosed else { return .ignored(.closed) }
        guard let octet = bytes.first else {
            return .violation(nil, .malformed(.truncated(needed: 1, available: 0)))
        }
        let opcode = ATT.Opcode(rawValue: octet)
        if opcode == .handleValueNotification { return receiveNotification(bytes) }
        if opcode.isResponse { return receiveResponse(opcode, bytes) }
        guard opcode.isKnown else { return receiveUnknown(opcode) }
        guard bytes.count <= receiveMTULimit else {
            return refuse(opcode, .tooLong(count: bytes.count))
        }
        do throws(MalformedBytes) {
            return receive(try ATT.PDU(parsing: bytes))
        } catch {
            return refuse(opcode, .malformed(error))
        }
    }

    /// Notifications come in floods and take the short way.
    private func receiveNotification(_ bytes: ArraySlice<UInt8>) -> Received {
        guard bytes.count <= receiveMTULimit else {
            return .violation(nil, .tooLong(count: bytes.count))
        }
        do throws(MalformedBytes) {
            return .notification(try .init(parsing: bytes.dropFirst()))
        } catch {
            return .violation(nil, .malformed(error))
        }
    }

    private mutating func receive(_ pdu: ATT.PDU) -> Received {
        switch pdu {
        case .handleValueIndication(let indication):
            guard !owesConfirmation else { return .violation(nil, .hasty(pdu.opcode)) }
            owesConfirmation = true
            return .indication(indication)
        case .multipleHandleValueNotification(let notification):
            return .multipleNotification(notification)
        case .handleValueConfirmation:
            return receiveConfirmation()
        default:
            return pdu.opcode.isCommand ? .command(pdu) : receiveRequest(pdu)
        }
    }

    private mutating func receiveConfirmation() -> Received {
        guard let confirmed = unconfirmed else {
            return .violation(nil, .unexpected(.handleValueConfirmation))
        }
        unconfirmed = nil
        return .confirmed(confirmed.id)
    }
}

// Responses.
extension ATTBearer {
    private mutating func receiveResponse(
        _ opcode: ATT.Opcode,
        _ bytes: ArraySlice<UInt8>
    ) -> Received {
        guard let request = outstanding, Self.answered(by: bytes, opcode) == request.opcode else {
            return .violation(nil, .unexpected(opcode))
        }
        outstanding = nil
        let answer = read(bytes, for: request.id)
        return request.isCancelled ? .ignored(.cancelled) : answer
    }

    /// Which request a response answers. An Error Response names it in its first octet.
    private static func answered(
        by bytes: ArraySlice<UInt8>,
        _ opcode: ATT.Opcode
    ) -> ATT.Opcode? {
        guard opcode == .errorResponse else { return ATT.Opcode(rawValue: opcode.rawValue &- 1) }
        return bytes.dropFirst().first.map(ATT.Opcode.init(rawValue:))
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, for id: RequestID) -> Received {
        guard bytes.count <= receiveMTULimit else {
            return .violation(id, .tooLong(count: bytes.count))
        }
        do throws(MalformedBytes) {
            let pdu = try ATT.PDU(parsing: bytes)
            if case .errorResponse(let error) = pdu { return .failure(id, error) }
            if case .exchangeMTUResponse(let exchange) = pdu { raiseMTU(to: exchange.receiveMTU) }
            return .response(id, pdu)
        } catch {
            return .violation(id, .malformed(error))
        }
    }
}

// Requests.
extension ATTBearer {
    /// A peer that waits for an answer as it must cannot have more than one request open, so one
    /// is all that ever waits, however fast a hostile peer sends.
    private var owesAnswer: Bool { openRequest != nil || reply != nil }

    private mutating func receiveRequest(_ request: ATT.PDU) -> Received {
        guard !owesAnswer else { return .violation(nil, .hasty(request.opcode)) }
        if case .exchangeMTURequest(let exchange) = request { return answer(exchange) }
        openRequest = request.opcode
        return .request(request)
    }

    private mutating func answer(_ exchange: ATT.ExchangeMTURequest) -> Received {
        guard exchangesMTU else {
            reply = Reply(refusing: .exchangeMTURequest, .requestNotSupported)
            return .answered
        }
        let response = ATT.ExchangeMTUResponse(receiveMTU: UInt16(receiveMTULimit))
        reply = Reply(bytes: response.encode(), peerMTU: exchange.receiveMTU)
        return .answered
    }

    /// An unknown command is ignored. Anything else that is unknown may be a request of a later
    /// version, and its sender wait for an answer (Vol 3, Part F, 3.3 and 3.4.9).
    private mutating func receiveUnknown(_ opcode: ATT.Opcode) -> Received {
        guard !opcode.isCommand else { return .ignored(.command(opcode)) }
        guard !owesAnswer else { return .violation(nil, .hasty(opcode)) }
        reply = Reply(refusing: opcode, .requestNotSupported)
        return .answered
    }

    /// Answers what can be answered of a PDU that is not as it must be: a request is told so.
    private mutating func refuse(_ opcode: ATT.Opcode, _ violation: Violation) -> Received {
        if opcode.isRequest, !owesAnswer { reply = Reply(refusing: opcode, .invalidPDU) }
        return .violation(nil, violation)
    }
}
