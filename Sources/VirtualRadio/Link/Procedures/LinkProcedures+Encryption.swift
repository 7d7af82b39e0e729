// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The encryption procedures: start, and pause to start again with another key (Vol 6, Part B,
/// 5.1.3).
///
/// The ends turn encryption on or off separately for each direction, and in a fixed order. So an
/// end never processes an encrypted packet as an unencrypted one, or the reverse. First the
/// peripheral changes the direction in which it receives. Then the central changes both directions.
/// Then the peripheral changes the direction in which it sends.
extension LinkProcedures {
    // MARK: Requests of the hosts

    mutating func encrypt(_ start: EncryptionStart) throws(HCI.ErrorCode) {
        guard side == .central else { throw .commandDisallowed }
        guard local.features.contains(.encryption) else {
            throw .unsupportedFeatureOrParameterValue
        }
        try run(.encryption(start))
    }

    mutating func startEncryption(_ start: EncryptionStart) {
        encryption.isRefresh = encryption.phase == .on
        guard peerMayHave(.encryption) else {
            return emitEncryption(status: .unsupportedRemoteFeature)
        }
        encryption.key = start.key
        if encryption.isRefresh {
            encryption.phase = .awaitingPause
            begin(.encryption(start), .pauseEncryptionRequest)
        } else {
            requestEncryption(start)
        }
    }

    mutating func provideKey(_ key: HCI.Key128) throws(HCI.ErrorCode) {
        guard encryption.phase == .awaitingKey else { throw .commandDisallowed }
        encryption.key = key
        encryption.phase = .awaitingStartResponse
        sendUrgently(.startEncryptionRequest)
    }

    mutating func refuseKey(now: Instant) throws(HCI.ErrorCode) {
        guard encryption.phase == .awaitingKey else { throw .commandDisallowed }
        keyIsMissing(now: now)
    }

    /// Handles a missing key. A link that was encrypted must not continue unencrypted.
    private mutating func keyIsMissing(now: Instant) {
        guard !encryption.isRefresh else {
            return terminate(.pinOrKeyMissing, own: .pinOrKeyMissing, now: now)
        }
        encryption.phase = .off
        refuseEncryption(.pinOrKeyMissing)
    }

    private mutating func refuseEncryption(_ code: HCI.ErrorCode) {
        let isExtended =
            local.features.contains(.extendedReject)
            && peerFeatures?.contains(.extendedReject) == true
        sendUrgently(
            isExtended
                ? .extendedRejectIndication(opcode: LLControlPDU.encryptionOpcode, code)
                : .rejectIndication(code)
        )
    }

    // MARK: PDUs of the peer

    /// Handles a PDU of the encryption procedures.
    ///
    /// - Returns: Whether the PDU belongs to encryption and was awaited.
    mutating func takeEncryption(
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask,
        now: Instant
    ) -> Bool {
        switch side {
        case .central: takeFromPeripheral(pdu, now: now)
        case .peripheral: takeFromCentral(pdu, wanted: wanted, now: now)
        }
    }

    private mutating func takeFromPeripheral(_ pdu: LLControlPDU, now: Instant) -> Bool {
        switch (encryption.phase, pdu) {
        case (.awaitingPause, .pauseEncryptionResponse):
            setEncryption(sending: false, receiving: false)
            sendUrgently(.pauseEncryptionResponse)
            if case .encryption(let start) = own?.procedure { requestEncryption(start) }
        case (.awaitingResponse, .encryptionResponse(let diversifier, let vector)):
            encryption.diversifier = diversifier
            encryption.vector = vector
            encryption.phase = .awaitingStart
            awaitAnswer(now: now)
        case (.awaitingStart, .startEncryptionRequest):
            setEncryption(sending: true, receiving: true)
            sendUrgently(.startEncryptionResponse)
            encryption.phase = .awaitingStartResponse
        case (.awaitingStartResponse, .startEncryptionResponse):
            finish(.encryption)
            encrypted(now: now)
        case (.awaitingStart, .rejectIndication(let code)),
            (.awaitingStart, .extendedRejectIndication(LLControlPDU.encryptionOpcode, let code)):
            peerRefused(nil, code)
        default: return false
        }
        return true
    }

    private mutating func takeFromCentral(
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask,
        now: Instant
    ) -> Bool {
        switch (encryption.phase, pdu) {
        case (.on, .pauseEncryptionRequest):
            encryption.phase = .awaitingPauseResponse
            encryption.isRefresh = true
            sendUrgently(.pauseEncryptionResponse)
        case (.awaitingPauseResponse, .pauseEncryptionResponse) where encryption.isAwaitingCentral:
            encryption.isAwaitingCentral = false
            setEncryption(sending: false, receiving: nil)
            encryption.phase = .awaitingRequest
            remoteDeadline = now + Self.responseTimeout
        case (.off, .encryptionRequest(let request)):
            encryption.isRefresh = false
            takeRequest(request, wanted: wanted, now: now)
        case (.awaitingRequest, .encryptionRequest(let request)):
            takeRequest(request, wanted: wanted, now: now)
        case (.awaitingStartResponse, .startEncryptionResponse) where encryption.isAwaitingCentral:
            encryption.isAwaitingCentral = false
            setEncryption(sending: true, receiving: nil)
            sendUrgently(.startEncryptionResponse)
            encrypted(now: now)
        default: return false
        }
        return true
    }

    private mutating func takeRequest(
        _ request: EncryptionRequest,
        wanted: HCI.LEEventMask,
        now: Instant
    ) {
        guard local.features.contains(.encryption) else {
            return refuseEncryption(.unsupportedRemoteFeature)
        }
        encryption.request = request
        encryption.diversifier = generator.next()
        encryption.vector = UInt32(truncatingIfNeeded: generator.next())
        encryption.phase = .awaitingKey
        remoteDeadline = nil
        sendUrgently(
            .encryptionResponse(diversifier: encryption.diversifier, vector: encryption.vector)
        )
        guard wanted.contains(.longTermKeyRequest) else { return keyIsMissing(now: now) }
        emit(
            .longTermKeyRequest(
                HCI.LELongTermKeyRequest(
                    connectionHandle: handle,
                    random: request.random,
                    encryptedDiversifier: request.encryptedDiversifier
                )
            )
        )
    }

    // MARK: Progress

    private mutating func requestEncryption(_ start: EncryptionStart) {
        let request = EncryptionRequest(
            random: start.random,
            encryptedDiversifier: start.encryptedDiversifier,
            diversifier: generator.next(),
            vector: UInt32(truncatingIfNeeded: generator.next())
        )
        encryption.request = request
        encryption.phase = .awaitingResponse
        begin(.encryption(start), .encryptionRequest(request))
    }

    mutating func setEncryption(sending: Bool?, receiving: Bool?) {
        let key = sending == true || receiving == true ? encryption.session : nil
        actions.append(.setEncryption(sending: sending, receiving: receiving, key: key))
    }

    private mutating func encrypted(now: Instant) {
        encryption.phase = .on
        remoteDeadline = nil
        lastAuthenticated = now
        hasPinged = false
        emitEncryption(status: .success)
    }

    /// Handles the failure of the central's procedure. If its pause was refused, the link is still
    /// encrypted. If the link was encrypted and no longer is, it must end.
    mutating func encryptionFailed(_ code: HCI.ErrorCode) {
        let isStillEncrypted = encryption.phase == .awaitingPause
        encryption.phase = isStillEncrypted ? .on : .off
        emitEncryption(status: code)
        if encryption.isRefresh, !isStillEncrypted { end(code) }
    }

    private mutating func emitEncryption(status: HCI.ErrorCode) {
        guard !encryption.isRefresh else {
            return emit(
                .encryptionKeyRefreshComplete(
                    HCI.EncryptionKeyRefreshComplete(status: status, connectionHandle: handle)
                )
            )
        }
        emit(
            .encryptionChange(
                HCI.EncryptionChange(
                    status: status,
                    connectionHandle: handle,
                    encryption: status == .success ? .on : .off
                )
            )
        )
    }
}

extension LLControlPDU {
    /// LL_ENC_REQ.
    fileprivate static let encryptionOpcode: UInt8 = 0x03
}
