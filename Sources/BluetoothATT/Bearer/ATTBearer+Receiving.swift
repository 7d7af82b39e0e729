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
        /// A request, whose answer waits to leave.
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
        /// A command to a server that has nothing to command.
        case command(ATT.Opcode)
    }

    /// What the peer did against the protocol.
    package enum Violation: Equatable, Sendable {
        /// The PDU has another form than it must have.
        case malformed(MalformedBytes)
        /// The PDU is longer than we said we can receive.
        case tooLong(count: Int)
        /// A response or confirmation to which there is no request or indication.
        case unexpected(ATT.Opcode)
        /// A request or indication although the one before it is not answered yet
        /// (Vol 3, Part F, 3.3.2).
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
            return .violation(nil, .unexpected(pdu.opcode))
        default:
            return pdu.opcode.isCommand ? .ignored(.command(pdu.opcode)) : receiveRequest(pdu)
        }
    }
}

// Responses.
extension ATTBearer {
    private mutating func receiveResponse(
        _ opcode: ATT.Opcode,
        _ bytes: ArraySlice<UInt8>
    ) -> Received {
        let result = Result { () throws(MalformedBytes) in try ATT.PDU(parsing: bytes) }
        guard let request = outstanding, Self.answers(request, opcode, try? result.get()) else {
            return .violation(nil, .unexpected(opcode))
        }
        outstanding = nil
        if case .success(.exchangeMTUResponse(let exchange)) = result {
            raiseMTU(to: exchange.receiveMTU)
        }
        guard !request.isCancelled else { return .ignored(.cancelled) }
        guard bytes.count <= receiveMTULimit else {
            return .violation(request.id, .tooLong(count: bytes.count))
        }
        return switch result {
        case .success(.errorResponse(let error)): .failure(request.id, error)
        case .success(let pdu): .response(request.id, pdu)
        case .failure(let error): .violation(request.id, .malformed(error))
        }
    }

    /// Whether a response belongs to a request. An Error Response names the request it refuses;
    /// one too broken to name any can only mean the one that is outstanding.
    private static func answers(
        _ request: OutstandingRequest,
        _ opcode: ATT.Opcode,
        _ pdu: ATT.PDU?
    ) -> Bool {
        guard opcode == .errorResponse else { return opcode == request.opcode.answer }
        guard case .errorResponse(let error) = pdu else { return true }
        return error.requestOpcode == request.opcode
    }
}

// Requests.
extension ATTBearer {
    /// A peer that waits for an answer as it must cannot have more than one request open, so one
    /// reply is all that ever waits, however fast a hostile peer sends.
    private mutating func receiveRequest(_ request: ATT.PDU) -> Received {
        guard reply == nil else { return .violation(nil, .hasty(request.opcode)) }
        if case .exchangeMTURequest(let exchange) = request {
            let response = ATT.ExchangeMTUResponse(receiveMTU: UInt16(receiveMTULimit))
            reply = Reply(pdu: .exchangeMTUResponse(response), peerMTU: exchange.receiveMTU)
        } else {
            reply = Reply(pdu: EmptyServer.answer(to: request))
        }
        return .answered
    }

    /// Answers what can be answered of a PDU that is not as it must be: a request is told so.
    private mutating func refuse(_ opcode: ATT.Opcode, _ violation: Violation) -> Received {
        if opcode.isRequest, reply == nil {
            let error = ATT.ErrorResponse(
                requestOpcode: opcode,
                handle: .invalid,
                code: .invalidPDU
            )
            reply = Reply(pdu: .errorResponse(error))
        }
        return .violation(nil, violation)
    }
}
