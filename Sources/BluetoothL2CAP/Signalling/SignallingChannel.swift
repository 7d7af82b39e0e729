// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Our side of the signalling channel of one LE link (Vol 3, Part A, 4).
///
/// As the Central we are asked for other connection parameters, and answer as our owner decides.
/// As the Peripheral we ask. All else that a peer requests is refused, in the form that the
/// specification gives to refusals, and nothing that answers is itself answered: two hosts that do
/// not understand each other must not refuse each other's refusals for ever.
package struct SignallingChannel: Sendable {
    /// How long our request waits for its response (T_GAP(conn_param_timeout), Vol 3, Part C,
    /// Appendix A), within what RTX may be (Vol 3, Part A, 6.2.1).
    package static let responseTimeout: Duration = .seconds(30)

    /// Our role on the link.
    package enum Role: Sendable {
        case central
        case peripheral
    }

    private let role: Role
    private var lastIdentifier: Signalling.Identifier = 0

    /// Our request that has no answer yet.
    private var outstanding: (identifier: Signalling.Identifier, deadline: Instant)?

    /// The peer's request that our owner has not decided yet: one at a time, so that a flood of
    /// them costs no more memory than one.
    private var undecided: Signalling.Identifier?

    package init(role: Role) {
        self.role = role
    }

    /// What is to be done, or known, about a command that arrived.
    package enum Action: Equatable, Sendable {
        /// Send this payload on the signalling channel.
        case send([UInt8])
        /// The Peripheral asks for these parameters, which are valid. Decide, and call
        /// `respond(to:accepting:)`; if accepted, update the connection after the response.
        case decide(ConnectionParametersRequest, Signalling.Identifier)
        /// Our request has ended.
        case requestEnded(RequestEnd)
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
    package mutating func receive(_ payload: ArraySlice<UInt8>) -> Action {
        guard payload.count <= Signalling.mtu else { return refuseLongCommand(payload) }
        do throws(MalformedBytes) {
            let packet = try Signalling.Packet(parsing: payload)
            return packet.code.isResponse ? receiveResponse(packet) : receiveRequest(packet)
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
        guard outstanding == nil else { return nil }
        lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        outstanding = (lastIdentifier, now + Self.responseTimeout)
        return parameters.encode(identifier: lastIdentifier)
    }

    /// When our request will have waited too long; nil if there is none.
    package var nextDeadline: Instant? { outstanding?.deadline }

    /// Tells that it is `now`; returns how our request ended if it has waited too long.
    package mutating func deadlinePassed(now: Instant) -> RequestEnd? {
        guard let nextDeadline, now >= nextDeadline else { return nil }
        outstanding = nil
        return .timedOut
    }
}

// Responses.
extension SignallingChannel {
    private mutating func receiveResponse(_ packet: Signalling.Packet) -> Action {
        guard let outstanding, outstanding.identifier == packet.identifier,
            let end = Self.end(by: packet)
        else { return .ignore(.unexpectedResponse(packet.code)) }
        self.outstanding = nil
        return .requestEnded(end)
    }

    private static func end(by packet: Signalling.Packet) -> RequestEnd? {
        switch packet.code {
        case .commandReject: .notUnderstood
        case .connectionParameterUpdateResponse:
            (try? Signalling.ConnectionParametersResponse(parsing: packet.parameters))
                .map { $0.isAccepted ? .accepted : .rejected }
        default: nil
        }
    }
}

// Requests.
extension SignallingChannel {
    private mutating func receiveRequest(_ packet: Signalling.Packet) -> Action {
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
