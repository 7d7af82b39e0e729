// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// A connection request, from the application's call to the usable link.
struct PendingConnection: Sendable {
    enum Phase: Sendable, Equatable {
        /// The scheduler has the request, or gets it when the controller is ready.
        case connecting
        /// The host searches for the peer, because no usable address is known.
        case searching
        /// The host withdraws the request from the scheduler, to schedule it again with another
        /// address.
        case rescheduling
        /// The link was made. Encryption with the bond, if there is one, and then the peer's first
        /// answer show that the link is usable.
        case establishing(LinkIdentifier)
        /// The host waits for the end of an earlier link to the peer before it connects.
        case awaitingDisconnection
        /// An attempt has failed. The host waits until this time before the next one.
        case backingOff(until: Instant)
    }

    /// The maximum pause after the first failure. Each further failure doubles it, up to
    /// `longestBackoff` or `longestPendingBackoff`.
    static let firstBackoff: Duration = .milliseconds(500)
    /// The maximum pause of a direct connection request. Its usual timeout of 10 s must allow
    /// several attempts.
    static let longestBackoff: Duration = .seconds(2)
    /// The maximum pause of a pending connection, which has no timeout. A peer with which no
    /// connection is ever established must not keep the host and the controller busy.
    static let longestPendingBackoff: Duration = .seconds(4)

    /// The address that the application requested.
    let target: DeviceAddress
    let identity: DeviceAddress
    let options: ConnectOptions
    /// The time at which the request fails, or `nil` if it has no timeout or waits for a person.
    var deadline: Instant?
    var phase = Phase.connecting
    /// The address that the scheduler has; `nil` if it has none.
    var address: DeviceAddress?
    /// The time at which to check whether the peer has changed its address.
    var trialEndsAt: Instant?
    /// The number of failed attempts of this request, for any reason.
    var failedEstablishments = 0

    /// Whether the request uses an address that the peer may no longer have.
    var isTrial: Bool { phase == .connecting && trialEndsAt != nil }

    /// Returns the pause before the next attempt.
    ///
    /// A peer accepts one of the connection requests that answer the same advertisement, or none if
    /// they collide. Centrals that fail at the same time must not try again at the same time. The
    /// pause is therefore random from zero to a limit that grows with the number of failures (a
    /// random exponential back-off).
    func backoff(using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = options.approach == .direct ? Self.longestBackoff : Self.longestPendingBackoff
        let doublings = max(min(failedEstablishments - 1, 10), 0)
        let limit = min(Self.firstBackoff * (1 << doublings), longest)
        return limit * Double.random(in: 0..<1, using: &generator)
    }

    /// The time at which the request needs its next step, if nothing happens before.
    var nextDeadline: Instant? {
        switch phase {
        case .backingOff(let end): earliest(end, deadline)
        case .connecting: earliest(trialEndsAt, deadline)
        default: deadline
        }
    }
}
