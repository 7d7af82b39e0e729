// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// The meaning of a PDU that arrived.
    package enum Received: Equatable, Sendable {
        /// The response to a request. It has the kind that the request requires and is never an
        /// Error Response.
        case response(RequestID, ATT.PDU)
        /// The server refused a request.
        case failure(RequestID, ATT.ErrorResponse)
        case notification(ATT.HandleValueNotification)
        /// The server indicated a value. The confirmation is already enqueued.
        case indication(ATT.HandleValueIndication)
        case multipleNotification(ATT.MultipleHandleValueNotification)
        /// A request that the local server must answer with `respond(_:)`. It is any known request
        /// except an MTU exchange.
        case request(ATT.PDU)
        /// A command for the local server, which has no response.
        case command(ATT.PDU)
        /// The peer confirmed an indication. The identifier is `nil` if the caller has canceled the
        /// indication.
        case confirmed(RequestID?)
        /// A request that the bearer answers itself. The response is already enqueued.
        case answered
        /// A PDU that is allowed and has no effect.
        case ignored(IgnoredReason)
        /// A violation of the protocol. The bearer continues, and the request with this identifier,
        /// if any, has failed.
        case violation(RequestID?, Violation)
    }

    /// The reason why an allowed PDU has no effect.
    package enum IgnoredReason: Equatable, Sendable {
        /// The bearer is closed.
        case closed
        /// The PDU is the response to a canceled request.
        case cancelled
        /// The PDU is an unknown command.
        case command(ATT.Opcode)
    }

    /// A violation of the protocol by the peer.
    package enum Violation: Equatable, Sendable {
        /// The PDU does not have the required form. If it is a request and no earlier request
        /// awaits its response, an Error Response is enqueued.
        case malformed(MalformedBytes)
        /// The PDU is longer than the MTU that the local side offered. If it is a request and no
        /// earlier request awaits its response, an Error Response is enqueued.
        case tooLong(count: Int)
        /// The PDU is a response that matches no outstanding request, or a confirmation without an
        /// indication.
        case unexpected(ATT.Opcode)
        /// The PDU is a request that arrived before the previous one was answered, or an indication
        /// that arrived before the previous one was confirmed (Vol 3, Part F, 3.3.2). It gets no
        /// response.
        case outOfSequence(ATT.Opcode)
    }

    /// Processes one PDU: the payload of a frame that arrived on the bearer's channel.
    ///
    /// A response that does not match the outstanding request leaves the request outstanding. The
    /// response may be a duplicate of an earlier one while the correct one is still in transit. If
    /// the request failed instead, the correct response could match the next request of the same
    /// kind.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) -> Received {
        guard !isClosed else { return .ignored(.closed) }
        guard let byte = bytes.first else {
            return .violation(nil, .malformed(.truncated(needed: 1, available: 0)))
        }
        let opcode = ATT.Opcode(rawValue: byte)
        if opcode == .handleValueNotification { return receiveNotification(bytes) }
        if opcode.isResponse { return receiveResponse(opcode, bytes) }
        guard bytes.count <= receiveMTULimit else {
            guard opcode.isKnown else { return receiveUnknown(opcode) }
            return refuse(opcode, .tooLong(count: bytes.count))
        }
        do throws(MalformedBytes) {
            return receive(try ATT.PDU(parsing: bytes))
        } catch {
            return refuse(opcode, .malformed(error))
        }
    }

    /// Decodes a notification without the steps for other PDUs, because notifications can be very
    /// frequent.
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
            guard !mustConfirm else { return .violation(nil, .outOfSequence(pdu.opcode)) }
            mustConfirm = true
            return .indication(indication)
        case .multipleHandleValueNotification(let notification):
            return .multipleNotification(notification)
        case .handleValueConfirmation:
            return receiveConfirmation()
        case .unknown(let opcode, _):
            return receiveUnknown(opcode)
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

    /// Returns the opcode of the request that a response answers. It is the first parameter of an
    /// Error Response.
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
            if case .exchangeMTUResponse(let exchange) = pdu {
                settleMTU(with: exchange.receiveMTU)
            }
            return .response(id, pdu)
        } catch {
            return .violation(id, .malformed(error))
        }
    }
}

// Requests.
extension ATTBearer {
    /// Whether a request of the peer awaits its response.
    ///
    /// A peer must wait for each response, so only one request is kept, however many a hostile peer
    /// sends.
    private var hasOpenRequest: Bool { openRequest != nil || reply != nil }

    private mutating func receiveRequest(_ request: ATT.PDU) -> Received {
        guard !hasOpenRequest else { return .violation(nil, .outOfSequence(request.opcode)) }
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

    /// Ignores an unknown command. Any other unknown PDU may be a request of a later version whose
    /// sender waits for a response, so it gets an Error Response (Vol 3, Part F, 3.3 and 3.4.9).
    private mutating func receiveUnknown(_ opcode: ATT.Opcode) -> Received {
        guard !opcode.isCommand else { return .ignored(.command(opcode)) }
        guard !hasOpenRequest else { return .violation(nil, .outOfSequence(opcode)) }
        reply = Reply(refusing: opcode, .requestNotSupported)
        return .answered
    }

    /// Reports a PDU that is malformed or too long. A request gets an Error Response, unless an
    /// earlier request still awaits its response.
    private mutating func refuse(_ opcode: ATT.Opcode, _ violation: Violation) -> Received {
        if opcode.isRequest, !hasOpenRequest { reply = Reply(refusing: opcode, .invalidPDU) }
        return .violation(nil, violation)
    }
}
