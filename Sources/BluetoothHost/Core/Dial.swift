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
    }

    let target: DeviceAddress
    let options: ConnectOptions
    let deadline: Instant?
    var phase = Phase.dialling
    /// How many links for this dial failed to be established so far.
    var failedEstablishments = 0
}
