// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The local side of the signaling channel of one LE link (Vol 3, Part A, 4).
///
/// The type decodes all commands and dispatches them. A central receives requests for other
/// connection parameters and responds as the host decides. A peripheral sends such requests.
/// Commands for credit-based channels go to `LogicalLink`, which owns the channels. All other
/// requests of the peer are rejected in the form that the specification defines. A response never
/// gets a response, because otherwise two hosts that do not understand each other could exchange
/// rejections without end.
package struct SignalingChannel: Sendable {
    /// The time in which the peer must respond to a request: T_GAP(conn_param_timeout) (Vol 3, Part
    /// C, Appendix A), which is within the range of RTX (Vol 3, Part A, 6.2.1).
    package static let responseTimeout: Duration = .seconds(30)

    /// The time in which the peer must respond after a pending response, which is the minimum of
    /// ERTX (Vol 3, Part A, 6.2.2). The deadline is extended once only.
    package static let pendingTimeout: Duration = .seconds(60)

    /// The role of the local device on the link.
    package enum Role: Sendable {
        case central
        case peripheral
    }

    private let role: Role
    /// Whether the host supports credit-based channels. If not, commands for them are unknown.
    private let servesChannels: Bool
    private var outstanding = OutstandingRequests()

    /// The identifier of the peer's request that the host has not decided yet, or `nil` if there is
    /// none. Only one is kept, so that many requests need no more memory than one.
    private var undecided: Signaling.Identifier?

    package init(role: Role, servesChannels: Bool = false) {
        self.role = role
        self.servesChannels = servesChannels
    }

    /// An instruction or a report that results from a command.
    package enum Action: Equatable, Sendable {
        /// Send this payload on the signaling channel.
        case send([UInt8])
        /// The peripheral requests these valid parameters. Decide, and call
        /// `respond(to:accepting:)`. If the host accepts, update the connection after the response.
        case decide(ConnectionParametersRequest, Signaling.Identifier)
        /// The local request for other connection parameters has ended.
        case requestEnded(RequestEnd)
        /// The peer sent a command that concerns channels: a request, or a grant of credits.
        case asked(Signaling.ChannelRequest, Signaling.Identifier)
        /// The peer responded to a local request that concerns channels, or the request has timed
        /// out. After a pending response, another `answered` follows for the same request.
        case answered(Signaling.ChannelAnswer, Signaling.Identifier)
        /// No action is necessary.
        case ignore(IgnoreReason)
    }

    /// The end of the local request for other connection parameters.
    package enum RequestEnd: Equatable, Sendable {
        case accepted
        case rejected
        /// The central does not support the request.
        case notUnderstood
        case timedOut
    }

    /// The reason why a command has no effect.
    package enum IgnoreReason: Equatable, Sendable {
        /// The bytes are not a complete command with a valid identifier.
        case malformed(MalformedBytes)
        /// The response matches no outstanding request, is malformed, or is too long.
        case unexpectedResponse(Signaling.Code)
        /// The request repeats one that the host has not decided yet.
        case repeated
    }

    /// Processes one command: the payload of a frame that arrived on the signaling channel.
    package mutating func receive(
        _ payload: ArraySlice<UInt8>,
        now: Instant = .zero
    ) -> Action {
        guard payload.count <= Signaling.mtu else { return refuseLongCommand(payload) }
        do throws(MalformedBytes) {
            let packet = try Signaling.Packet(parsing: payload)
            return packet.code.isResponse
                ? receiveResponse(packet, now: now) : receiveRequest(packet)
        } catch {
            return .ignore(.malformed(error))
        }
    }

    /// Responds to a request that the host had to decide.
    ///
    /// - Returns: The payload to send, or `nil` if the request is no longer outstanding.
    package mutating func respond(
        to identifier: Signaling.Identifier,
        accepting: Bool
    ) -> [UInt8]? {
        guard undecided == identifier else { return nil }
        undecided = nil
        return Signaling.ConnectionParametersResponse(isAccepted: accepting)
            .encode(identifier: identifier)
    }

    /// Requests other connection parameters from the central. Only a peripheral may call this.
    ///
    /// - Returns: The payload to send, or `nil` if the previous request has no response yet, or too
    ///   many requests are outstanding.
    package mutating func request(
        _ parameters: ConnectionParametersRequest,
        now: Instant
    ) -> [UInt8]? {
        precondition(role == .peripheral, "only a peripheral requests parameters")
        precondition(parameters.isValid, "the connection parameters are not valid")
        let code = ConnectionParametersRequest.code
        guard !outstanding.contains(code) else { return nil }
        return ask(parameters, now: now)?.payload
    }

    /// Adds a request to the outstanding ones, and returns its payload.
    ///
    /// - Returns: The request's identifier and the payload to send, or `nil` if too many requests
    ///   are outstanding.
    mutating func ask(
        _ request: some Signaling.Parameters,
        now: Instant
    ) -> (identifier: Signaling.Identifier, payload: [UInt8])? {
        let deadline = now + Self.responseTimeout
        guard let identifier = outstanding.add(type(of: request).code, deadline: deadline)
        else { return nil }
        return (identifier, request.encode(identifier: identifier))
    }

    /// Returns the payload of a command that has no response.
    mutating func indicate(_ parameters: some Signaling.Parameters) -> [UInt8] {
        parameters.encode(identifier: outstanding.takeIdentifier())
    }

    /// The earliest deadline of the outstanding requests, or `nil` if there are none.
    package var nextDeadline: Instant? { outstanding.nextDeadline }

    /// Removes the requests whose deadline has passed, and returns one action for each of them.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        outstanding.expire(now: now).map { request in
            request.code == ConnectionParametersRequest.code
                ? .requestEnded(.timedOut) : .answered(.timedOut, request.identifier)
        }
    }
}

// Responses.
extension SignalingChannel {
    private mutating func receiveResponse(
        _ packet: Signaling.Packet,
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

    /// Returns the result of a request, or `nil` if the response is malformed. A malformed response
    /// is ignored, because a correct one may still arrive.
    private static func outcome(
        of request: OutstandingRequests.Request,
        by packet: Signaling.Packet
    ) -> Action? {
        guard request.code == ConnectionParametersRequest.code else {
            let answer = try? Signaling.ChannelAnswer(packet)
            return answer.map { .answered($0, packet.identifier) }
        }
        guard packet.code != .commandReject else { return .requestEnded(.notUnderstood) }
        return (try? Signaling.ConnectionParametersResponse(parsing: packet.parameters))
            .map { .requestEnded($0.isAccepted ? .accepted : .rejected) }
    }
}

// Requests.
extension SignalingChannel {
    private mutating func receiveRequest(_ packet: Signaling.Packet) -> Action {
        if servesChannels, let request = try? Signaling.ChannelRequest(packet) {
            return .asked(request, packet.identifier)
        }
        guard role == .central, packet.code == .connectionParameterUpdateRequest,
            let request = try? ConnectionParametersRequest(parsing: packet.parameters)
        else { return Self.reject(.notUnderstood, packet.identifier) }
        guard undecided != packet.identifier else { return .ignore(.repeated) }
        guard undecided == nil, request.isValid else {
            let refusal = Signaling.ConnectionParametersResponse(isAccepted: false)
            return .send(refusal.encode(identifier: packet.identifier))
        }
        undecided = packet.identifier
        return .decide(request, packet.identifier)
    }

    /// Rejects a request that is too long (Vol 3, Part A, 4.1), and ignores a response that is too
    /// long. Reads only the header.
    private func refuseLongCommand(_ payload: ArraySlice<UInt8>) -> Action {
        let code = Signaling.Code(rawValue: payload[payload.startIndex])
        let identifier = payload[payload.startIndex + 1]
        guard identifier != 0 else { return .ignore(.malformed(.invalid(field: "identifier"))) }
        guard !code.isResponse else { return .ignore(.unexpectedResponse(code)) }
        return Self.reject(.mtuExceeded(mtu: UInt16(Signaling.mtu)), identifier)
    }

    private static func reject(
        _ reason: Signaling.CommandReject,
        _ identifier: Signaling.Identifier
    ) -> Action {
        .send(reason.encode(identifier: identifier))
    }
}
