// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Our side of the signalling channel of one LE link (Vol 3, Part A, 4).
///
/// The one place where commands are read and told apart. As the Central we are asked for other
/// connection parameters, and answer as our owner decides; as the Peripheral we ask. What is about
/// channels with credits goes to `LogicalLink`, which owns those. All else that a peer requests is
/// refused, in the form that the specification gives to refusals, and nothing that answers is itself
/// answered: two hosts that do not understand each other must not refuse each other's refusals for
/// ever.
package struct SignallingChannel: Sendable {
    /// How long our request waits for its response (T_GAP(conn_param_timeout), Vol 3, Part C,
    /// Appendix A), within what RTX may be (Vol 3, Part A, 6.2.1).
    package static let responseTimeout: Duration = .seconds(30)

    /// How long it waits once the peer has said that the response will take its time: the least
    /// that ERTX may be (Vol 3, Part A, 6.2.2). It is not asked for twice.
    package static let pendingTimeout: Duration = .seconds(60)

    /// Our role on the link.
    package enum Role: Sendable {
        case central
        case peripheral
    }

    private let role: Role
    /// Whether our owner has channels with credits; if not, commands about them are not known.
    private let servesChannels: Bool
    private var outstanding = OutstandingRequests()

    /// The peer's request that our owner has not decided yet: one at a time, so that a flood of
    /// them costs no more memory than one.
    private var undecided: Signalling.Identifier?

    package init(role: Role, servesChannels: Bool = false) {
        self.role = role
        self.servesChannels = servesChannels
    }

    /// What is to be done, or known, about a command that arrived.
    package enum Action: Equatable, Sendable {
        /// Send this payload on the signalling channel.
        case send([UInt8])
        /// The Peripheral asks for these parameters, which are valid. Decide, and call
        /// `respond(to:accepting:)`; if accepted, update the connection after the response.
        case decide(ConnectionParametersRequest, Signalling.Identifier)
        /// Our request for other parameters has ended.
        case requestEnded(RequestEnd)
        /// The peer wants something of channels.
        case asked(Signalling.ChannelRequest, Signalling.Identifier)
        /// What came of our request about channels; if more is to come, it will.
        case answered(Signalling.ChannelAnswer, Signalling.Identifier)
        /// Nothing is to be done.
        case ignore(IgnoreReason)
    }

    /// How our request for other parameters ended.
    package enum RequestEnd: Equatable, Sendable {
        case accepted
        case rejected
        /// The Central does not know the request.
        case notUnderstood
        case timedOut
    }

    /// Why a command has no effect.
    package enum IgnoreReason: Equatable, Sendable {
        /// It is no command: whom to answer is not known.
        case malformed(MalformedBytes)
        /// A response to nothing that we asked.
        case unexpectedResponse(Signalling.Code)
        /// The same request again, while the first is being decided.
        case repeated
    }

    /// Takes in one command: the payload of a frame that came on the signalling channel.
    package mutating func receive(
        _ payload: ArraySlice<UInt8>,
        now: Instant = .zero
    ) -> Action {
        guard payload.count <= Signalling.mtu else { return refuseLongCommand(payload) }
        do throws(MalformedBytes) {
            let packet = try Signalling.Packet(parsing: payload)
            return packet.code.isResponse
                ? receiveResponse(packet, now: now) : receiveRequest(packet)
        } catch {
            return .ignore(.malformed(error))
        }
    }

    /// Answers a request that was to be decided. Returns the payload to send, or nil if there is
    /// no such request any more.
    package mutating func respond(
        to identifier: Signalling.Identifier,
        accepting: Bool
    ) -> [UInt8]? {
        guard undecided == identifier else { return nil }
        undecided = nil
        return Signalling.ConnectionParametersResponse(isAccepted: accepting)
            .encode(identifier: identifier)
    }

    /// Asks the Central for other parameters; only a Peripheral may. Returns the payload to send,
    /// or nil if the request before has no answer yet.
    package mutating func request(
        _ parameters: ConnectionParametersRequest,
        now: Instant
    ) -> [UInt8]? {
        precondition(role == .peripheral, "a Central updates the connection without asking")
        precondition(parameters.isValid, "no link can have these parameters")
        let code = ConnectionParametersRequest.code
        guard !outstanding.contains(code) else { return nil }
        return ask(parameters, now: now)?.payload
    }

    /// Asks the peer for something. Returns the identifier that the answer will have, and the
    /// payload to send; nil if too many requests have no answer yet.
    mutating func ask(
        _ request: some Signalling.Parameters,
        now: Instant
    ) -> (identifier: Signalling.Identifier, payload: [UInt8])? {
        let deadline = now + Self.responseTimeout
        guard let identifier = outstanding.add(type(of: request).code, deadline: deadline)
        else { return nil }
        return (identifier, request.encode(identifier: identifier))
    }

    /// Tells the peer something that it does not answer. Returns the payload to send.
    mutating func indicate(_ parameters: some Signalling.Parameters) -> [UInt8] {
        parameters.encode(identifier: outstanding.takeIdentifier())
    }

    /// When one of our requests will have waited too long; nil if there is none.
    package var nextDeadline: Instant? { outstanding.nextDeadline }

    /// Tells that it is `now`; returns how our requests ended that have waited too long.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        outstanding.expire(now: now).map { request in
            request.code == ConnectionParametersRequest.code
                ? .requestEnded(.timedOut) : .answered(.timedOut, request.identifier)
        }
    }
}

// Responses.
extension SignallingChannel {
    private mutating func receiveResponse(
        _ packet: Signalling.Packet,
        now: Instant
    ) -> Action {
        let identifier = packet.identifier
        guard let request = outstanding.request(answeredBy: packet.code, identifier),
            let action = Self.outcome(of: request, by: packet)
        else { return .ignore(.unexpectedResponse(packet.code)) }
        if case .answered(let answer, _) = action, answer.isPending {
            outstanding.extend(identifier, to: now + Self.pendingTimeout)
        } else {
            outstanding.remove(identifier)
        }
        return action
    }

    /// A response that cannot be read is none: the right one may still come.
    private static func outcome(
        of request: OutstandingRequests.Request,
        by packet: Signalling.Packet
    ) -> Action? {
        guard request.code == ConnectionParametersRequest.code else {
            let answer = try? Signalling.ChannelAnswer(packet)
            return answer.map { .answered($0, packet.identifier) }
        }
        guard packet.code != .commandReject else { return .requestEnded(.notUnderstood) }
        return (try? Signalling.ConnectionParametersResponse(parsing: packet.parameters))
            .map { .requestEnded($0.isAccepted ? .accepted : .rejected) }
    }
}

// Requests.
extension SignallingChannel {
    private mutating func receiveRequest(_ packet: Signalling.Packet) -> Action {
        if servesChannels, let request = try? Signalling.ChannelRequest(packet) {
            return .asked(request, packet.identifier)
        }
        guard role == .central, packet.code == .connectionParameterUpdateRequest,
            let request = try? ConnectionParametersRequest(parsing: packet.parameters)
        else { return Self.reject(.notUnderstood, packet.identifier) }
        guard undecided != packet.identifier else { return .ignore(.repeated) }
        guard undecided == nil, request.isValid else {
            let refusal = Signalling.ConnectionParametersResponse(isAccepted: false)
            return .send(refusal.encode(identifier: packet.identifier))
        }
        undecided = packet.identifier
        return .decide(request, packet.identifier)
    }

    /// A command that is too long is refused by its header alone (Vol 3, Part A, 4.1).
    private func refuseLongCommand(_ payload: ArraySlice<UInt8>) -> Action {
        let code = Signalling.Code(rawValue: payload[payload.startIndex])
        let identifier = payload[payload.startIndex + 1]
        guard identifier != 0 else { return .ignore(.malformed(.invalid(field: "identifier"))) }
        guard !code.isResponse else { return .ignore(.unexpectedResponse(code)) }
        return Self.reject(.mtuExceeded(mtu: UInt16(Signalling.mtu)), identifier)
    }

    private static func reject(
        _ reason: Signalling.CommandReject,
        _ identifier: Signalling.Identifier
    ) -> Action {
        .send(reason.encode(identifier: identifier))
    }
}
