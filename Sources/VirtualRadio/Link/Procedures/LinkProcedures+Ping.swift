// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The LE Ping procedure, which ensures that an encrypted link is still with the same peer. If no
/// packet with a MIC has arrived in half of the authenticated payload timeout, the end sends
/// LL_PING_REQ, unless one of the ends is known not to support it. If none has arrived in the whole
/// timeout, the host gets an event (Vol 6, Part B, 5.1.8 and 5.4).
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

    /// Records a packet with a MIC, if the link is encrypted.
    mutating func authenticated(now: Instant) {
        guard encryption.phase == .on else { return }
        lastAuthenticated = now
        hasPinged = false
    }

    /// The next deadline. The end sends LL_PING_REQ after half of the timeout, so that the peer has
    /// time to answer.
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
