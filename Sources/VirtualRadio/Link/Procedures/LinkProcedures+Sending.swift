// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What is sent, and when.
extension LinkProcedures {
    /// How many events for which the Peripheral listens pass before an instant, at least
    /// (Vol 6, Part B, 5.1.1).
    package static let instantLead = 6

    /// The next control PDU to send; the owner calls it when the one before is acknowledged, and
    /// prefers it to data. Does the actions first.
    package mutating func nextPDU(eventCounter: UInt16, now: Instant) -> Outgoing? {
        guard hasPDU else { return nil }
        let queued = urgentOutbox.isEmpty ? outbox.removeFirst() : urgentOutbox.removeFirst()
        let pdu = stamped(queued, eventCounter)
        sent(pdu, now: now)
        return Outgoing(pdu: pdu, actions: takeActions())
    }

    mutating func send(_ pdu: LLControlPDU) {
        guard outbox.count < Self.outboxLimit else { return }
        outbox.append(pdu)
    }

    /// Sends what encryption needs, or what ends the link.
    mutating func sendUrgently(_ pdu: LLControlPDU) {
        guard urgentOutbox.count < Self.outboxLimit else { return }
        urgentOutbox.append(pdu)
    }

    /// Refuses what the peer asks. Before the features are exchanged, whoever asks something of
    /// Bluetooth 4.1 or later is taken to understand the extended form.
    mutating func reject(_ pdu: LLControlPDU, _ code: HCI.ErrorCode) {
        send(.extendedRejectIndication(opcode: pdu.opcode, code))
    }

    /// The PDU with its instant, if it has one: that is chosen as late as can be.
    private func stamped(_ pdu: LLControlPDU, _ eventCounter: UInt16) -> LLControlPDU {
        let lead = Self.instantLead * (parameters.latency + 1)
        let instant = eventCounter &+ UInt16(clamping: lead)
        switch pdu {
        case .connectionUpdateIndication(var update):
            update.instant = instant
            return .connectionUpdateIndication(update)
        case .channelMapIndication(let channels, _):
            return .channelMapIndication(channels: channels, instant: instant)
        case .phyUpdateIndication(var decision):
            guard decision.changesSomething else { return pdu }
            decision.instant = instant
            return .phyUpdateIndication(decision)
        default: return pdu
        }
    }

    /// What follows from sending it.
    private mutating func sent(_ pdu: LLControlPDU, now: Instant) {
        switch pdu {
        case .connectionUpdateIndication(let update): schedule(.parameters(update))
        case .channelMapIndication(let channels, let instant):
            schedule(.channels(channels, instant: instant))
        case .phyUpdateIndication(let decision): decided(decision)
        case .startEncryptionRequest:
            remoteDeadline = now + Self.responseTimeout
            encryption.isSwitching = true
            setEncryption(sending: nil, receiving: true)
        case .pauseEncryptionResponse where side == .peripheral:
            remoteDeadline = now + Self.responseTimeout
            encryption.isSwitching = true
            setEncryption(sending: nil, receiving: false)
        case .connectionParameterResponse, .phyResponse:
            remoteDeadline = now + Self.responseTimeout
        case .startEncryptionResponse where side == .central: awaitAnswer(now: now)
        case .versionIndication: versionSent(now: now)
        default: if own?.opcode == pdu.opcode { awaitAnswer(now: now) }
        }
    }

    /// The peer has to go on with the own procedure from here in time.
    mutating func awaitAnswer(now: Instant) { own?.deadline = now + Self.responseTimeout }
}
