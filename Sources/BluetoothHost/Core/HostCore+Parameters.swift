// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Other connection parameters, as a Peripheral gets them: by asking. The link layer has a procedure
// for that, which not every controller and not every Central knows; the signalling channel has
// another, which all know (Vol 3, Part C, 9.3.9).
extension HostCore {
    /// How long a Peripheral leaves a new link as it is, so that the Central can discover its
    /// services in peace: T_GAP(conn_pause_peripheral) (Vol 3, Part C, 9.3.12.2 and Appendix A).
    package static let parameterPause: Duration = .seconds(5)

    /// Asks the Central for other parameters. Who waits is told when they are in use, or refused.
    mutating func askForParameters(
        _ update: ConnectionUpdate,
        on handle: ConnectionHandle,
        id: RequestIdentifier?,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier else { return }
        guard links[handle]?.procedures[.connectionUpdate] == nil else {
            if let id { fail(id, HostError.busy) }
            return
        }
        let waiter = LinkState.Waiter(request: id, deadline: now + Self.procedureTimeout)
        links[handle]?.procedures[.connectionUpdate] = waiter
        links[handle]?.askedParameters = update
        guard asksInLinkLayer else { return askBySignalling(on: handle, now: now) }
        let command = HCI.LEConnectionUpdate(
            connectionHandle: handle,
            parameters: HCI.ConnectionParameters(update)
        )
        send(HCI.EncodedCommand(command), for: .parameters(link), now: now)
    }

    /// Whether our controller knows the procedure of the link layer, in which a Peripheral may begin.
    private var asksInLinkLayer: Bool {
        guard let capabilities else { return false }
        return capabilities.leFeatures.contains(.connectionParametersRequest)
            && capabilities.supports(HCI.LEConnectionUpdate.self)
    }

    private mutating func askBySignalling(on handle: ConnectionHandle, now: Instant) {
        guard let update = links[handle]?.askedParameters else { return }
        links[handle]?.askedParameters = nil
        let request = ConnectionParametersRequest(HCI.ConnectionParameters(update))
        guard links[handle]?.logicalLink.request(request, now: now) == true else {
            return procedureEnded(.connectionUpdate, on: handle, .failure(.busy))
        }
        pump(handle, now: now)
    }

    /// The controller has taken, or refused, what is asked in the link layer.
    mutating func parametersAnswered(
        _ link: LinkIdentifier,
        _ result: CommandResult,
        now: Instant
    ) {
        guard let handle = handles[link] else { return }
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch {
            guard case .discarded = error else { return askBySignalling(on: handle, now: now) }
            links[handle]?.askedParameters = nil
            procedureEnded(.connectionUpdate, on: handle, .failure(HostError(error, state)))
        }
    }

    /// The procedure of the link layer has failed. Whether it is tried in the other way: where the
    /// Central does not know this one, not where it has refused.
    mutating func asksAgainBySignalling(
        _ handle: ConnectionHandle,
        after status: HCI.ErrorCode,
        now: Instant
    ) -> Bool {
        guard links[handle]?.askedParameters != nil else { return false }
        switch status {
        case .unsupportedRemoteFeature, .unknownLMPPDU, .commandDisallowed:
            askBySignalling(on: handle, now: now)
            return true
        default:
            links[handle]?.askedParameters = nil
            return false
        }
    }

    /// The Central has answered on the signalling channel. What it accepts, it puts in force itself.
    mutating func parametersRequestEnded(
        _ end: SignallingChannel.RequestEnd,
        on handle: ConnectionHandle
    ) {
        let failure: HostError
        switch end {
        case .accepted: return
        case .rejected: failure = .controller(.unacceptableConnectionParameters)
        case .notUnderstood: failure = .controller(.unsupportedRemoteFeature)
        case .timedOut: failure = .timedOut
        }
        procedureEnded(.connectionUpdate, on: handle, .failure(failure))
    }

    /// The pause after connecting is over: asks for what the configuration prefers, unless the link
    /// is like that already.
    mutating func askForPreferredParameters(on handle: ConnectionHandle, now: Instant) {
        links[handle]?.preferredParametersDueAt = nil
        guard let preferred = configuration.preferredConnectionParameters,
            let link = links[handle], !link.isDisconnecting,
            !preferred.isMet(by: link.parameters)
        else { return }
        askForParameters(preferred, on: handle, id: nil, now: now)
    }
}

extension ConnectionUpdate {
    /// Whether a link is as this asks for. The timeout alone is not worth a procedure.
    fileprivate func isMet(by parameters: ConnectionParameters) -> Bool {
        let wire = HCI.ConnectionParameters(self)
        let interval = wire.intervalMinimum.duration...wire.intervalMaximum.duration
        return interval.contains(parameters.interval)
            && parameters.peripheralLatency == Int(wire.peripheralLatency)
    }
}

extension ConnectionParametersRequest {
    /// What an application asks for, in the words of the signalling channel.
    init(_ parameters: HCI.ConnectionParameters) {
        self.init(
            intervalMinimum: parameters.intervalMinimum.rawValue,
            intervalMaximum: parameters.intervalMaximum.rawValue,
            peripheralLatency: parameters.peripheralLatency,
            supervisionTimeout: parameters.supervisionTimeout.rawValue
        )
    }
}
