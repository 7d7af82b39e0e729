// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// One wish for a connection, from the asking to the usable link.
struct Dial: Sendable {
    enum Phase: Sendable, Equatable {
        /// The scheduler has it, or will get it when the controller is ready.
        case dialling
        /// The link is there; whether it is usable shows with the first answer on it.
        case establishing(LinkIdentifier)
        /// An earlier link to the peer is being ended; it is dialled when that is gone.
        case parting
        /// Links for it failed to be established; it is dialled again then.
        case resting(until: Instant)
    }

    static let firstRest: Duration = .milliseconds(250)
    static let longestRest: Duration = .seconds(4)

    let target: DeviceAddress
    let options: ConnectOptions
    let deadline: Instant?
    var phase = Phase.dialling
    /// How many links for this dial failed to be established so far.
    var failedEstablishments = 0

    /// How long to wait before the next attempt: not at all after the first failure, which is
    /// frequent at the edge of range; then longer and longer, for a peer that never joins must not
    /// keep host and controller busy.
    var rest: Duration {
        guard failedEstablishments > 1 else { return .zero }
        return min(Self.firstRest * (1 << min(failedEstablishments - 2, 10)), Self.longestRest)
    }

    /// When something is to be done about it, if nothing happens before.
    var nextDeadline: Instant? {
        if case .resting(let end) = phase { earliest(end, deadline) } else { deadline }
    }
}
