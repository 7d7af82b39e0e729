// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state of an end in starting and pausing encryption (Vol 6, Part B, 5.1.3).
struct EncryptionProgress: Hashable, Sendable {
    /// The event that the end awaits.
    enum Phase: Hashable, Sendable {
        /// The end awaits no event, and data is not encrypted.
        case off
        /// The end awaits no event, and data is encrypted.
        case on
        /// The central awaits LL_PAUSE_ENC_RSP.
        case awaitingPause
        /// The central awaits LL_ENC_RSP.
        case awaitingResponse
        /// The central awaits LL_START_ENC_REQ, for which the peer's host must find the key.
        case awaitingStart
        /// The peripheral awaits the central's LL_PAUSE_ENC_RSP.
        case awaitingPauseResponse
        /// The peripheral awaits LL_ENC_REQ after the pause.
        case awaitingRequest
        /// The peripheral awaits the key from its host.
        case awaitingKey
        /// Either end awaits the peer's LL_START_ENC_RSP.
        case awaitingStartResponse
    }

    var phase = Phase.off
    /// Whether the peripheral has sent LL_START_ENC_REQ or LL_PAUSE_ENC_RSP, and has not received
    /// the central's response. Until then, the peripheral does not know whether the central still
    /// decrypts as before: the central changes as soon as it has received that PDU.
    var isAwaitingCentral = false
    /// Whether the link was encrypted before, so that the host gets Encryption Key Refresh
    /// Complete.
    var isRefresh = false
    /// The key of this end's host.
    var key: HCI.Key128?
    /// The central's halves of the session.
    var request: EncryptionRequest?
    /// The peripheral's half of the session key diversifier.
    var diversifier: UInt64 = 0
    /// The peripheral's half of the initialization vector.
    var vector: UInt32 = 0

    /// Whether data and all other procedures must wait.
    var isBusy: Bool { phase != .off && phase != .on }

    /// Whether a PDU that is not awaited counts as forged (Vol 6, Part B, 5.1.3.1), because the
    /// peer has announced that it sends nothing else.
    var isStrict: Bool { isBusy && phase != .awaitingPause && phase != .awaitingResponse }

    /// The identity of the session: key, diversifiers and vectors. Two ends with the same identity
    /// have the same session key, so the simulation uses it in place of the session key.
    var session: [UInt8]? {
        guard let key, let request else { return nil }
        var writer = ByteWriter()
        writer.write(contentsOf: key.bytes)
        writer.write(request.diversifier)
        writer.write(diversifier)
        writer.write(request.vector)
        writer.write(vector)
        return writer.bytes
    }
}
