// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The requests of the host.
extension LinkProcedures {
    /// Performs a request of the host.
    ///
    /// - Throws: The error code with which the controller refuses the command. Then nothing has
    ///   changed.
    package mutating func request(
        _ request: LinkProcedureRequest,
        eventCounter: UInt16,
        now: Instant
    ) throws(HCI.ErrorCode) -> [Action] {
        guard !isOver else { throw .unknownConnectionIdentifier }
        guard termination == nil else { throw .commandDisallowed }
        try perform(request, now: now)
        startNext()
        return takeActions()
    }

    private mutating func perform(
        _ request: LinkProcedureRequest,
        now: Instant
    ) throws(HCI.ErrorCode) {
        switch request {
        case .disconnect(let reason):
            terminate(reason, own: .connectionTerminatedByLocalHost, now: now)
        case .readVersion: try readVersion()
        case .readFeatures: try readFeatures()
        case .updateConnection(let proposal): try updateConnection(proposal)
        case .acceptParameters(let proposal): try acceptParameters(proposal)
        case .refuseParameters(let reason): try refuseParameters(reason)
        case .setDataLength(let bytes, let time): try setDataLength(bytes, time)
        case .setPHY(let preference, let coding): try setPHY(preference, coding)
        case .encrypt(let random, let diversifier, let key):
            try encrypt(
                EncryptionStart(random: random, encryptedDiversifier: diversifier, key: key)
            )
        case .provideKey(let key): try provideKey(key)
        case .refuseKey: try refuseKey(now: now)
        case .setAuthenticatedPayloadTimeout(let timeout):
            try setAuthenticatedPayloadTimeout(timeout, now: now)
        case .setChannels(let channels): try setChannels(channels)
        }
    }

    /// Schedules the procedure.
    ///
    /// - Throws: `commandDisallowed` if a procedure of its kind runs or waits.
    mutating func run(_ procedure: LinkProcedure) throws(HCI.ErrorCode) {
        guard !has(procedure.kind) else { throw .commandDisallowed }
        enqueue(procedure)
    }

    /// Schedules the procedure, in place of a waiting one of its kind.
    mutating func enqueue(_ procedure: LinkProcedure) {
        waiting.removeAll { $0.kind == procedure.kind }
        waiting.append(procedure)
    }

    /// Returns whether a procedure of that kind runs or waits.
    func has(_ kind: LinkProcedure.Kind) -> Bool {
        own?.kind == kind || waiting.contains { $0.kind == kind }
    }
}

/// The one procedure that an end runs on its own initiative.
extension LinkProcedures {
    /// Starts waiting procedures that can start now. Each start either leaves a procedure running
    /// or ends it at once, so the loop ends.
    mutating func startNext() {
        while termination == nil, !isOver, own == nil,
            let index = waiting.firstIndex(where: { canStart($0.kind) })
        {
            start(waiting.remove(at: index))
        }
    }

    private func canStart(_ kind: LinkProcedure.Kind) -> Bool {
        guard !encryption.isBusy else { return false }
        if kind == .encryption { return remote == nil }
        return !kind.hasInstant || (remote == nil && updates.isEmpty)
    }

    private mutating func start(_ procedure: LinkProcedure) {
        switch procedure {
        case .version: begin(procedure, .versionIndication(local.version))
        case .features: startFeatures()
        case .connectionUpdate(let proposal): startConnectionUpdate(proposal)
        case .dataLength: startDataLength()
        case .phy: startPHY()
        case .encryption(let start): startEncryption(start)
        case .channelMap(let channels): startChannelMap(channels)
        case .ping: begin(procedure, .pingRequest)
        }
    }

    /// Begins the procedure with its first PDU.
    mutating func begin(_ procedure: LinkProcedure, _ pdu: LLControlPDU) {
        own = RunningProcedure(procedure: procedure, opcode: pdu.opcode)
        if procedure.kind == .encryption { sendUrgently(pdu) } else { send(pdu) }
    }

    /// Ends the running procedure, if it is of that kind.
    mutating func finish(_ kind: LinkProcedure.Kind) {
        if own?.kind == kind { own = nil }
    }

    /// Ends the running procedure with an error, and reports it to the host if there is an event
    /// for it.
    mutating func fail(_ code: HCI.ErrorCode) {
        guard let failed = own else { return }
        own = nil
        switch failed.kind {
        case .version: emitVersion(status: code)
        case .features: emitFeatures(status: code)
        case .connectionUpdate: emitConnectionUpdate(status: code)
        case .phy: emitPHYUpdate(status: code)
        case .encryption: encryptionFailed(code)
        case .dataLength, .channelMap, .ping: break
        }
    }

    /// Handles the peer's refusal of a procedure.
    mutating func peerRefused(_ opcode: UInt8?, _ code: HCI.ErrorCode) {
        guard let running = own, opcode == nil || opcode == running.opcode else { return }
        if running.kind == .connectionUpdate, side == .central, code == .unsupportedRemoteFeature,
            case .connectionUpdate(let proposal) = running.procedure
        {
            // The peer does not support the request, but the central can send the update (Vol 6,
            // Part B, 5.1.7.1).
            return begin(running.procedure, updateIndication(for: proposal))
        }
        if code == .linkLayerProcedureCollision, isCovered(running.kind) {
            own?.hasCollided = true
            own?.deadline = nil
        } else {
            fail(code)
        }
    }

    private func isCovered(_ kind: LinkProcedure.Kind) -> Bool {
        remote?.kind == kind || updates.contains { $0.kind == kind }
    }
}
