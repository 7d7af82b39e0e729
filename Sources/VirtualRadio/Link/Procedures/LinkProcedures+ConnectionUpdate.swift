// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Connection updates: the central decides on the parameters, and either end can first ask the
/// other (Vol 6, Part B, 5.1.1 and 5.1.7).
extension LinkProcedures {
    mutating func updateConnection(_ proposal: ConnectionParameterProposal) throws(HCI.ErrorCode) {
        guard proposal.isLegal else { throw .invalidCommandParameters }
        guard side == .central || local.features.contains(.connectionParametersRequest) else {
            throw .unsupportedFeatureOrParameterValue
        }
        try run(.connectionUpdate(proposal))
    }

    /// Starts a connection update. The central asks only a peer that is known to support the
    /// Connection Parameters Request procedure. Otherwise it sends the update at once. The
    /// peripheral asks, unless the peer is known not to support that procedure.
    mutating func startConnectionUpdate(_ proposal: ConnectionParameterProposal) {
        let feature = HCI.LEFeatures.connectionParametersRequest
        let procedure = LinkProcedure.connectionUpdate(proposal)
        switch side {
        case .central
        where local.features.contains(feature)
            && peerFeatures?.contains(feature) == true:
            begin(procedure, .connectionParameterRequest(proposal))
        case .central:
            begin(procedure, updateIndication(for: proposal))
        case .peripheral where peerMayHave(feature):
            begin(procedure, .connectionParameterRequest(proposal))
        case .peripheral:
            emitConnectionUpdate(status: .unsupportedRemoteFeature)
        }
    }

    /// Returns the update that the central sends. It has the longest interval of the range, which
    /// costs both ends the least energy.
    func updateIndication(for proposal: ConnectionParameterProposal) -> LLControlPDU {
        let parameters = LinkParameters(
            interval: proposal.intervalMaximum,
            latency: proposal.latency,
            supervisionTimeout: proposal.supervisionTimeout
        )
        return .connectionUpdateIndication(
            ConnectionUpdateIndication(parameters: parameters, windowOffset: .zero, instant: 0)
        )
    }

    mutating func takeParameters(_ pdu: LLControlPDU, wanted: HCI.LEEventMask) {
        guard local.features.contains(.connectionParametersRequest) else {
            return refuseAsUnknown(pdu)
        }
        switch pdu {
        case .connectionParameterRequest(let proposal): peerProposals(proposal, pdu, wanted: wanted)
        case .connectionParameterResponse(let proposal) where side == .central:
            guard own?.opcode == LLControlPDU.parameterRequestOpcode else { return }
            guard proposal.isLegal else { return fail(.invalidLinkLayerParameters) }
            own?.isAnswered = true
            own?.deadline = nil
            send(updateIndication(for: proposal))
        default: refuseAsUnknown(pdu)
        }
    }

    private mutating func peerProposals(
        _ proposal: ConnectionParameterProposal,
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask
    ) {
        guard proposal.isLegal else { return reject(pdu, .invalidLinkLayerParameters) }
        guard !collides(pdu, .connectionUpdate) else { return }
        remote = .hostDecides(proposal)
        remoteDeadline = nil
        guard wanted.contains(.remoteConnectionParameterRequest) else { return agree(proposal) }
        emit(
            .remoteConnectionParameterRequest(
                HCI.LERemoteConnectionParameterRequest(
                    connectionHandle: handle,
                    intervalMinimum: HCI.ConnectionInterval(proposal.intervalMinimum),
                    intervalMaximum: HCI.ConnectionInterval(proposal.intervalMaximum),
                    peripheralLatency: UInt16(clamping: proposal.latency),
                    supervisionTimeout: HCI.Timeout(proposal.supervisionTimeout)
                )
            )
        )
    }

    private mutating func agree(_ proposal: ConnectionParameterProposal) {
        remote = .awaitingConnectionUpdate
        switch side {
        case .central: send(updateIndication(for: proposal))
        case .peripheral: send(.connectionParameterResponse(proposal))
        }
    }

    mutating func acceptParameters(_ proposal: ConnectionParameterProposal) throws(HCI.ErrorCode) {
        guard case .hostDecides = remote else { throw .commandDisallowed }
        guard proposal.isLegal else { throw .invalidCommandParameters }
        agree(proposal)
    }

    mutating func refuseParameters(_ reason: HCI.ErrorCode) throws(HCI.ErrorCode) {
        guard case .hostDecides(let proposal) = remote else { throw .commandDisallowed }
        remote = nil
        reject(.connectionParameterRequest(proposal), reason)
        if own?.hasCollided == true { fail(.linkLayerProcedureCollision) }
    }

    /// Applies the connection parameters at the instant.
    mutating func apply(_ update: ConnectionUpdateIndication) {
        let isChange = update.parameters != parameters
        let isOwn = own?.kind == .connectionUpdate
        parameters = update.parameters
        actions.append(.setParameters(parameters, windowOffset: update.windowOffset))
        finish(.connectionUpdate)
        if isChange || isOwn { emitConnectionUpdate(status: .success) }
    }

    mutating func emitConnectionUpdate(status: HCI.ErrorCode) {
        emit(
            .connectionUpdateComplete(
                HCI.LEConnectionUpdateComplete(
                    status: status,
                    connectionHandle: handle,
                    interval: HCI.ConnectionInterval(parameters.interval),
                    peripheralLatency: UInt16(clamping: parameters.latency),
                    supervisionTimeout: HCI.Timeout(parameters.supervisionTimeout)
                )
            )
        )
    }
}

extension LLControlPDU {
    /// LL_CONNECTION_PARAM_REQ.
    fileprivate static let parameterRequestOpcode: UInt8 = 0x0F
}

extension LinkParameters {
    /// Whether a link may have these parameters (Vol 6, Part B, 4.5.1 and 4.5.2).
    var areLegal: Bool {
        interval >= .microseconds(7_500) && interval <= .seconds(4) && (0...499).contains(latency)
            && supervisionTimeout >= .milliseconds(100) && supervisionTimeout <= .seconds(32)
            && supervisionTimeout > interval * (2 * (1 + latency))
    }
}

extension ConnectionParameterProposal {
    /// Whether a link may have all parameters of this range.
    var isLegal: Bool {
        let slowest = LinkParameters(
            interval: intervalMaximum,
            latency: latency,
            supervisionTimeout: supervisionTimeout
        )
        return slowest.areLegal && intervalMinimum >= .microseconds(7_500)
            && intervalMinimum <= intervalMaximum
    }
}
