// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The state of an application's central manager that another process needs to continue after this
/// process is killed.
struct CentralIntents: Hashable, Sendable {
    /// The maximum number of peers of a manager. The latest connection requests are stored.
    static let peerLimit = 64

    /// A peer with a connection or a connection request.
    struct Peer: Hashable, Sendable {
        let identifier: PeerIdentifier
        /// The peer's name, if it is known.
        var name: String?
        /// Whether the connection request is repeated when the link is lost.
        var reconnects = false
        /// The attributes that the application discovered. `nil` before the first discovery of
        /// services.
        var table: RemoteTable?
    }

    /// The parameters of a scan. Those that the application omitted are `nil`.
    struct Scan: Hashable, Sendable {
        var services: [CBUUID.Form]?
        var allowsDuplicates: Bool?
        var solicitedServices: [CBUUID.Form]?
    }

    var peers: [Peer] = []
    var scan: Scan?

    /// Whether there is nothing to restore.
    var isEmpty: Bool { peers.isEmpty && scan == nil }
}
