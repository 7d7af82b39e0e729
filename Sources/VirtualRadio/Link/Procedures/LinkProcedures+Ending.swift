// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How an end takes its leave (Vol 6, Part B, 5.1.6).
extension LinkProcedures {
    /// Says good-bye for the reason, ahead of all but the data that waits already; the end is over
    /// when that is acknowledged, or was not for the supervision timeout.
    ///
    /// - Parameter own: What the own host is told then.
    mutating func terminate(_ reason: HCI.ErrorCode, own code: HCI.ErrorCode, now: Instant) {
        farewell = (code, now + parameters.supervisionTimeout)
        outbox = []
        urgentOutbox = [.terminateIndication(reason)]
        own = nil
        waiting = []
        remote = nil
        remoteDeadline = nil
    }

    /// Whoever takes its leave while encryption starts or pauses still switches over with the peer,
    /// or the peer could not read the good-bye.
    mutating func keepInStep(_ pdu: LLControlPDU) {
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
        encryption.isSwitching = false
    }
}
