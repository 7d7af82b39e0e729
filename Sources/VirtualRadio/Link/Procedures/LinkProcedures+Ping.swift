// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How an encrypted link makes sure that it is still its peer who is there: some packet with a MIC
/// has to come now and then, and if none does by itself the peer is asked for one
/// (Vol 6, Part B, 5.1.8 and 5.4).
extension LinkProcedures {
    mutating func setAuthenticatedPayloadTimeout(
        _ timeout: Duration,
        now: Instant
    ) throws(HCI.ErrorCode) {
        guard timeout >= parameters.interval * (parameters.latency + 1), timeout > .zero else {
            throw .invalidCommandParameters
        }
        authenticatedPayloadTimeout = timeout
        authenticated(now: now)
    }

    /// A packet with a MIC has come, if the link is encrypted.
    mutating func authenticated(now: Instant) {
        guard encryption.phase == .on else { return }
        lastAuthenticated = now
        hasPinged = false
    }

    /// The peer is asked half-way, so that it has time enough.
    var authenticationDeadline: Instant? {
        guard encryption.phase == .on, let lastAuthenticated else { return nil }
        let mayPing = !hasPinged && local.features.contains(.ping) && peerMayHave(.ping)
        return lastAuthenticated
            + (mayPing ? authenticatedPayloadTimeout / 2 : authenticatedPayloadTimeout)
    }

    mutating func authenticationDeadlinePassed(now: Instant) {
        guard let lastAuthenticated, encryption.phase == .on else { return }
        guard lastAuthenticated + authenticatedPayloadTimeout <= now else {
            hasPinged = true
            if !has(.ping) { enqueue(.ping) }
            return
        }
        self.lastAuthenticated = now
        hasPinged = false
        emit(
            .authenticatedPayloadTimeoutExpired(
                HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: handle)
            )
        )
    }
}
