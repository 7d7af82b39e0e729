// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The reception of control PDUs.
extension LinkProcedures {
    /// Handles a PDU of the peer that is not a repetition and whose MIC, if any, was valid.
    ///
    /// - Parameters:
    ///   - pdu: The PDU.
    ///   - wanted: The LE events that the host's masks admit (none if LE Meta is masked). The Link
    ///     Layer's answer depends on two of them (Vol 4, Part E, 7.7.65.5 and 7.7.65.6).
    ///   - eventCounter: The number of the connection event.
    ///   - now: The current time.
    package mutating func receive(
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask,
        eventCounter: UInt16,
        now: Instant
    ) -> [Action] {
        guard !isOver else { return [] }
        authenticated(now: now)
        if case .terminateIndication(let reason) = pdu {
            actions.append(.endAfterAcknowledging(reason))
            isOver = true
        } else if termination == nil {
            take(pdu, wanted: wanted, eventCounter: eventCounter, now: now)
            startNext()
        } else {
            completeEncryptionChange(pdu)
        }
        return takeActions()
    }

    private mutating func take(
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask,
        eventCounter: UInt16,
        now: Instant
    ) {
        if takeEncryption(pdu, wanted: wanted, now: now) { return }
        guard !encryption.isStrict else { return end(.messageIntegrityFailure) }
        switch pdu {
        case .connectionUpdateIndication, .channelMapIndication, .phyUpdateIndication:
            guard side == .peripheral else { return refuseAsUnknown(pdu) }
            takeIndication(pdu, eventCounter)
        case .versionIndication(let version): versionReceived(version)
        case .featureRequest, .peripheralFeatureRequest, .featureResponse: takeFeatures(pdu)
        case .connectionParameterRequest, .connectionParameterResponse:
            takeParameters(pdu, wanted: wanted)
        case .lengthRequest(let offer), .lengthResponse(let offer): takeLength(pdu, offer)
        case .phyRequest(let offer), .phyResponse(let offer): takePHY(pdu, offer)
        case .pingRequest: takePing(pdu)
        case .pingResponse: finish(.ping)
        case .unknownResponse(let opcode): peerRefused(opcode, .unsupportedRemoteFeature)
        case .rejectIndication(let code): peerRefused(nil, code)
        case .extendedRejectIndication(let opcode, let code): peerRefused(opcode, code)
        default: refuseAsUnknown(pdu)
        }
    }

    /// Answers a PDU that this end does not support, or that is not for its role, with
    /// LL_UNKNOWN_RSP (Vol 6, Part B, 2.4.2).
    mutating func refuseAsUnknown(_ pdu: LLControlPDU) {
        send(.unknownResponse(opcode: pdu.opcode))
    }

    private mutating func takePing(_ pdu: LLControlPDU) {
        guard local.features.contains(.ping) else { return refuseAsUnknown(pdu) }
        send(.pingResponse)
    }

    /// Handles a collision of two procedures with an instant (Vol 6, Part B, 5.3). The central
    /// continues its own procedure and refuses the peer's, or ends the link if the peer has already
    /// answered the central's procedure. The peripheral always lets the central's procedure
    /// continue.
    ///
    /// - Returns: Whether there is a collision, after which the caller must ignore the peer's
    ///   procedure.
    mutating func collides(_ pdu: LLControlPDU, _ kind: LinkProcedure.Kind) -> Bool {
        guard side == .central, let ongoing = ongoingKind else { return false }
        let code: HCI.ErrorCode =
            ongoing == kind ? .linkLayerProcedureCollision : .differentTransactionCollision
        if own?.isAnswered == true, own?.kind == ongoing {
            end(code)
        } else {
            reject(pdu, code)
        }
        return true
    }

    /// The procedure with an instant that is in progress.
    private var ongoingKind: LinkProcedure.Kind? {
        if let own, own.kind.hasInstant { return own.kind }
        return remote?.kind ?? updates.first?.kind
    }
}
