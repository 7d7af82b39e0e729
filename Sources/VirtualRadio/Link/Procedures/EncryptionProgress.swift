// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How far an end is in starting, pausing and starting encryption again (Vol 6, Part B, 5.1.3).
struct EncryptionProgress: Hashable, Sendable {
    /// What is awaited.
    enum Phase: Hashable, Sendable {
        /// Nothing: data goes in clear.
        case off
        /// Nothing: data goes encrypted.
        case on
        /// Central: LL_PAUSE_ENC_RSP.
        case awaitingPause
        /// Central: LL_ENC_RSP.
        case awaitingResponse
        /// Central: LL_START_ENC_REQ, for which the peer's host has to find the key.
        case awaitingStart
        /// Peripheral: the Central's LL_PAUSE_ENC_RSP.
        case awaitingPauseResponse
        /// Peripheral: LL_ENC_REQ, after the pause.
        case awaitingRequest
        /// Peripheral: the key, from the host.
        case awaitingKey
        /// Either: the peer's LL_START_ENC_RSP.
        case awaitingStartResponse
    }

    var phase = Phase.off
    /// Peripheral: whether it has asked the Central to switch over, which sends in the other way from
    /// then on, and expects to be answered so; and whether it has not heard that it did.
    var isSwitching = false
    /// Whether the link was encrypted before, so that the host learns of a refreshed key.
    var isRefresh = false
    /// The key that both hosts have, if they agree.
    var key: HCI.Key128?
    /// The Central's halves of the session.
    var request: EncryptionRequest?
    /// The Peripheral's half of the session key diversifier.
    var diversifier: UInt64 = 0
    /// The Peripheral's half of the initialisation vector.
    var vector: UInt32 = 0

    /// Whether data and all other procedures have to wait.
    var isBusy: Bool { phase != .off && phase != .on }

    /// Whether a PDU that is not awaited can only be forged (Vol 6, Part B, 5.1.3.1): the peer has
    /// said that it sends nothing else.
    var isStrict: Bool { isBusy && phase != .awaitingPause && phase != .awaitingResponse }

    /// The name of the session: who has the same has the same key, diversifiers and vectors. On this
    /// air that is as good as the session key which would be computed from them.
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
