// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Changes of the connection parameters that a peripheral requests. The Link Layer has a procedure
// for that, which some controllers and centrals do not support. The signaling channel has another
// procedure, which every central must support (Vol 3, Part C, 9.3.9).
extension LinkCore {
    /// The time for which a peripheral does not change a new link, so that the central can discover
    /// its services: T_GAP(conn_pause_peripheral) (Vol 3, Part C, 9.3.12.2 and Appendix A).
    package static let parameterPause: Duration = .seconds(5)

    /// Asks the central for other parameters. The request completes when they are in use, or fails.
    mutating func askForParameters(
        _ update: ConnectionUpdate,
        id: RequestIdentifier?,
        _ context: inout LinkContext
    ) {
        guard procedures[.connectionUpdate] == nil else {
            if let id { context.fail(id, HostError.busy) }
            return
        }
        guard ConnectionParametersRequest(HCI.ConnectionParameters(update)).isValid else {
            let error = HostError.controller(.unacceptableConnectionParameters)
            if let id { context.fail(id, error) }
            return context.emit(.log("no controller accepts the connection parameters \(update)"))
        }
        procedures[.connectionUpdate] = Waiter(
            request: id,
            deadline: context.now + Self.procedureTimeout
        )
        askedParameters = update
        guard context.asksForParametersInLinkLayer else {
            return askBySignaling(&context)
        }
        let command = HCI.LEConnectionUpdate(
            connectionHandle: handle,
            parameters: HCI.ConnectionParameters(update)
        )
        context.send(HCI.EncodedCommand(command), for: .link(identifier, .parameters))
    }

    private mutating func askBySignaling(_ context: inout LinkContext) {
        guard let update = askedParameters else { return }
        askedParameters = nil
        let request = ConnectionParametersRequest(HCI.ConnectionParameters(update))
        guard logicalLink.request(request, now: context.now) else {
            return procedureEnded(.connectionUpdate, .failure(.busy), &context)
        }
        pump(&context)
    }

    /// Takes the controller's answer to the link-layer request.
    mutating func parametersAnswered(_ result: CommandResult, _ context: inout LinkContext) {
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch {
            guard case .discarded = error else { return askBySignaling(&context) }
            askedParameters = nil
            let failure = HostError(error, context.state)
            procedureEnded(.connectionUpdate, .failure(failure), &context)
        }
    }

    /// Repeats the request on the signaling channel if the link-layer procedure failed because the
    /// central does not support it. Returns `false` if the procedure failed for another reason,
    /// such as a refusal.
    mutating func asksAgainBySignaling(
        after status: HCI.ErrorCode,
        _ context: inout LinkContext
    ) -> Bool {
        guard askedParameters != nil else { return false }
        switch status {
        case .unsupportedRemoteFeature, .unknownLMPPDU, .commandDisallowed:
            askBySignaling(&context)
            return true
        default:
            askedParameters = nil
            return false
        }
    }

    /// Takes the central's answer on the signaling channel. The central itself applies accepted
    /// parameters.
    mutating func parametersRequestEnded(
        _ end: SignalingChannel.RequestEnd,
        _ context: inout LinkContext
    ) {
        let failure: HostError
        switch end {
        case .accepted: return
        case .rejected: failure = .controller(.unacceptableConnectionParameters)
        case .notUnderstood: failure = .controller(.unsupportedRemoteFeature)
        case .timedOut: failure = .timedOut
        }
        procedureEnded(.connectionUpdate, .failure(failure), &context)
    }

    /// Asks for the preferred parameters after the pause, unless the link already has them.
    mutating func askForPreferredParameters(_ context: inout LinkContext) {
        preferredParametersDueAt = nil
        guard let preferred = context.configuration.preferredConnectionParameters,
            !isDisconnecting, !preferred.isMet(by: parameters)
        else { return }
        askForParameters(preferred, id: nil, &context)
    }

    /// Answers the peripheral's request for parameters on the signaling channel.
    mutating func decide(
        _ request: ConnectionParametersRequest,
        _ identifier: Signaling.Identifier,
        _ context: inout LinkContext
    ) {
        // Only one update runs at a time. Otherwise, a peer could fill the command queue with
        // requests.
        let isBusy = procedures[.connectionUpdate] != nil
        let accepts = context.configuration.acceptsParameterRequests && !isBusy
        logicalLink.respond(to: identifier, accepting: accepts)
        // The response leaves before the update.
        pump(&context)
        guard accepts else { return }
        let command = HCI.LEConnectionUpdate(
            connectionHandle: handle,
            parameters: granted(request, context.configuration)
        )
        let encoded = HCI.EncodedCommand(command)
        sendHostCommand(encoded, beginning: .connectionUpdate, &context)
    }

    /// Returns the parameters that the host uses for an accepted request: those of the request, but
    /// as central with a supervision timeout within the limit of the configuration.
    func granted(
        _ request: ConnectionParametersRequest,
        _ configuration: HostConfiguration
    ) -> HCI.ConnectionParameters {
        var request = request
        if role == .central, let limit = configuration.supervisionTimeoutLimit {
            request.limitSupervisionTimeout(to: HCI.Timeout(limit).rawValue)
        }
        return HCI.ConnectionParameters(request)
    }
}

extension LinkContext {
    /// Whether the controller supports the link-layer procedure that a peripheral may begin.
    fileprivate var asksForParametersInLinkLayer: Bool {
        guard let capabilities else { return false }
        return capabilities.leFeatures.contains(.connectionParametersRequest)
            && capabilities.supports(HCI.LEConnectionUpdate.self)
    }
}

extension ConnectionUpdate {
    /// Returns whether a link has these parameters. A different timeout alone does not justify a
    /// procedure.
    fileprivate func isMet(by parameters: ConnectionParameters) -> Bool {
        let wire = HCI.ConnectionParameters(self)
        let interval = wire.intervalMinimum.duration...wire.intervalMaximum.duration
        return interval.contains(parameters.interval)
            && parameters.peripheralLatency == Int(wire.peripheralLatency)
    }
}

extension ConnectionParametersRequest {
    /// Creates the parameters that an application requests, as sent on the signaling channel.
    init(_ parameters: HCI.ConnectionParameters) {
        self.init(
            intervalMinimum: parameters.intervalMinimum.rawValue,
            intervalMaximum: parameters.intervalMaximum.rawValue,
            peripheralLatency: parameters.peripheralLatency,
            supervisionTimeout: parameters.supervisionTimeout.rawValue
        )
    }
}
