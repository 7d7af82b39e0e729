// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What the host asks.
extension LinkProcedures {
    /// Does what the host asks, or throws how the command is refused; then nothing has changed.
    package mutating func request(
        _ request: LinkProcedureRequest,
        eventCounter: UInt16,
        now: Instant
    ) throws(HCI.ErrorCode) -> [Action] {
        guard !isOver else { throw .unknownConnectionIdentifier }
        guard farewell == nil else { throw .commandDisallowed }
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
        case .updateConnection(let wish): try updateConnection(wish)
        case .acceptParameters(let wish): try acceptParameters(wish)
        case .refuseParameters(let reason): try refuseParameters(reason)
        case .setDataLength(let octets, let time): try setDataLength(octets, time)
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

    /// Has the procedure run as soon as its turn comes. Refuses if one of its kind runs or waits.
    mutating func run(_ procedure: Procedure) throws(HCI.ErrorCode) {
        guard !has(procedure.kind) else { throw .commandDisallowed }
        enqueue(procedure)
    }

    /// Has the procedure run as soon as its turn comes, in place of one of its kind that waits.
    mutating func enqueue(_ procedure: Procedure) {
        waiting.removeAll { $0.kind == procedure.kind }
        waiting.append(procedure)
    }

    /// Whether a procedure of that kind runs or waits.
    func has(_ kind: Procedure.Kind) -> Bool {
        own?.kind == kind || waiting.contains { $0.kind == kind }
    }
}

/// The one procedure of its own that an end runs.
extension LinkProcedures {
    /// Starts what waits and may start now. Each start either leaves a procedure running or is over
    /// at once, so this ends.
    mutating func startNext() {
        while farewell == nil, !isOver, own == nil,
            let index = waiting.firstIndex(where: { canStart($0.kind) })
        {
            start(waiting.remove(at: index))
        }
    }

    private func canStart(_ kind: Procedure.Kind) -> Bool {
        guard !encryption.isBusy else { return false }
        if kind == .encryption { return remote == nil }
        return !kind.hasInstant || (remote == nil && updates.isEmpty)
    }

    private mutating func start(_ procedure: Procedure) {
        switch procedure {
        case .version: begin(procedure, .versionIndication(local.version))
        case .features: startFeatures()
        case .connectionUpdate(let wish): startConnectionUpdate(wish)
        case .dataLength: startDataLength()
        case .phy: startPHY()
        case .encryption(let start): startEncryption(start)
        case .channelMap(let channels): startChannelMap(channels)
        case .ping: begin(procedure, .pingRequest)
        }
    }

    /// The procedure runs from here, with that PDU.
    mutating func begin(_ procedure: Procedure, _ pdu: LLControlPDU) {
        own = RunningProcedure(procedure: procedure, opcode: pdu.opcode)
        if procedure.kind == .encryption { sendUrgently(pdu) } else { send(pdu) }
    }

    /// The procedure of that kind is over, if it is running.
    mutating func finish(_ kind: Procedure.Kind) {
        if own?.kind == kind { own = nil }
    }

    /// The own procedure has failed: the host is told, where there is an event for that.
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

    /// The peer does not know what it was asked, or does not do it.
    mutating func peerRefused(_ opcode: UInt8?, _ code: HCI.ErrorCode) {
        guard let running = own, opcode == nil || opcode == running.opcode else { return }
        if running.kind == .connectionUpdate, side == .central, code == .unsupportedRemoteFeature,
            case .connectionUpdate(let wish) = running.procedure
        {
            // The peer cannot be asked; it can still be told (Vol 6, Part B, 5.1.7.1).
            return begin(running.procedure, updateIndication(for: wish))
        }
        if code == .linkLayerProcedureCollision, isCovered(running.kind) {
            own?.isOverruled = true
            own?.deadline = nil
        } else {
            fail(code)
        }
    }

    private func isCovered(_ kind: Procedure.Kind) -> Bool {
        remote?.kind == kind || updates.contains { $0.kind == kind }
    }
}
