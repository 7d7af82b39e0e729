// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// One wish for a connection, from the asking to the usable link.
struct Dial: Sendable {
    enum Phase: Sendable, Equatable {
        /// The scheduler has it, or will get it when the controller is ready.
        case dialling
        /// It is not known by what address to dial the peer: it is looked for.
        case looking
        /// It is being taken back from the scheduler, which is to get it with another address.
        case turning
        /// The link is there; whether it is usable shows with the first answer on it.
        case establishing(LinkIdentifier)
        /// An earlier link to the peer is being ended; it is dialled when that is gone.
        case parting
        /// Links for it failed to be established; it is dialled again then.
        case resting(until: Instant)
    }

    static let firstRest: Duration = .milliseconds(250)
    static let longestRest: Duration = .seconds(4)

    /// The address that was asked for.
    let target: DeviceAddress
    /// Who that is.
    let identity: DeviceAddress
    let options: ConnectOptions
    /// Nil for one that waits for as long as it takes, or for a person.
    var deadline: Instant?
    var phase = Phase.dialling
    /// The address that the scheduler has; nil while it has none.
    var address: DeviceAddress?
    /// When to look whether the peer has another address by now.
    var trialEndsAt: Instant?
    /// How many links for this dial failed to be established so far.
    var failedEstablishments = 0

    /// Whether it is dialled by an address that the peer may not have any more.
    var isTrial: Bool { phase == .dialling && trialEndsAt != nil }

    /// How long to wait before the next attempt: not at all after the first failure, which is
    /// frequent at the edge of range; then longer and longer, for a peer that never joins must not
    /// keep host and controller busy.
    var rest: Duration {
        guard failedEstablishments > 1 else { return .zero }
        return min(Self.firstRest * (1 << min(failedEstablishments - 2, 10)), Self.longestRest)
    }

    /// When something is to be done about it, if nothing happens before.
    var nextDeadline: Instant? {
        switch phase {
        case .resting(let end): earliest(end, deadline)
        case .dialling: earliest(trialEndsAt, deadline)
        default: deadline
        }
    }
}
