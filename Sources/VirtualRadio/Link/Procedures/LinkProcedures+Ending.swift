// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Disconnection by an end (Vol 6, Part B, 5.1.6).
extension LinkProcedures {
    /// Disconnects: drops the procedures and the control PDUs that wait, and sends LL_TERMINATE_IND
    /// after the data that already waits. The end closes when the peer has acknowledged that PDU,
    /// or after the supervision timeout.
    ///
    /// - Parameters:
    ///   - reason: The reason that is sent to the peer.
    ///   - code: The reason that is reported to this end's host.
    ///   - now: The current time.
    mutating func terminate(_ reason: HCI.ErrorCode, own code: HCI.ErrorCode, now: Instant) {
        termination = (code, now + parameters.supervisionTimeout)
        outbox = []
        urgentOutbox = [.terminateIndication(reason)]
        own = nil
        waiting = []
        remote = nil
        remoteDeadline = nil
    }

    /// Completes a change of encryption while the end disconnects, because otherwise the peer could
    /// not decrypt LL_TERMINATE_IND.
    mutating func completeEncryptionChange(_ pdu: LLControlPDU) {
        switch (side, encryption.phase, pdu) {
        case (.central, .awaitingPause, .pauseEncryptionResponse):
            setEncryption(sending: false, receiving: false)
        case (.central, .awaitingStart, .startEncryptionRequest):
            setEncryption(sending: true, receiving: true)
        case (.peripheral, .awaitingPauseResponse, .pauseEncryptionResponse):
            setEncryption(sending: false, receiving: nil)
        case (.peripheral, .awaitingStartResponse, .startEncryptionResponse):
            setEncryption(sending: true, receiving: nil)
        default: return
        }
        encryption.isAwaitingCentral = false
    }
}
