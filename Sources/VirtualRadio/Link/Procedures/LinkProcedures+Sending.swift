// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The sending of control PDUs.
extension LinkProcedures {
    /// The minimum number of events, of those for which the peripheral listens, between an
    /// indication and its instant (Vol 6, Part B, 5.1.1).
    package static let instantLead = 6

    /// Returns the next control PDU. The owner calls this when the previous PDU is acknowledged,
    /// and performs the actions before it sends the PDU.
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

    /// Sends a PDU of the encryption procedures before other control PDUs.
    mutating func sendUrgently(_ pdu: LLControlPDU) {
        guard urgentOutbox.count < Self.outboxLimit else { return }
        urgentOutbox.append(pdu)
    }

    /// Refuses a request of the peer. A peer that sends a request of Bluetooth 4.1 or later
    /// supports the extended form, even before the features are exchanged.
    mutating func reject(_ pdu: LLControlPDU, _ code: HCI.ErrorCode) {
        send(.extendedRejectIndication(opcode: pdu.opcode, code))
    }

    /// Returns the PDU with its instant, if it has one. The instant is chosen only when the PDU is
    /// about to be sent.
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

    /// Updates the state after `nextPDU` has chosen a PDU.
    private mutating func sent(_ pdu: LLControlPDU, now: Instant) {
        switch pdu {
        case .connectionUpdateIndication(let update): schedule(.parameters(update))
        case .channelMapIndication(let channels, let instant):
            schedule(.channels(channels, instant: instant))
        case .phyUpdateIndication(let decision): decided(decision)
        case .startEncryptionRequest:
            remoteDeadline = now + Self.responseTimeout
            encryption.isAwaitingCentral = true
            setEncryption(sending: nil, receiving: true)
        case .pauseEncryptionResponse where side == .peripheral:
            remoteDeadline = now + Self.responseTimeout
            encryption.isAwaitingCentral = true
            setEncryption(sending: nil, receiving: false)
        case .connectionParameterResponse, .phyResponse:
            remoteDeadline = now + Self.responseTimeout
        case .startEncryptionResponse where side == .central: awaitAnswer(now: now)
        case .versionIndication: versionSent(now: now)
        default: if own?.opcode == pdu.opcode { awaitAnswer(now: now) }
        }
    }

    /// Starts the response timeout of the running procedure.
    mutating func awaitAnswer(now: Instant) { own?.deadline = now + Self.responseTimeout }
}
