// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The state of an application's central manager that another process needs to continue after this
/// process is killed.
package struct CentralIntents: Hashable, Sendable {
    /// The maximum number of peers of a manager. The latest connection requests are stored.
    static let peerLimit = 64

    /// A peer with a connection or a connection request.
    package struct Peer: Hashable, Sendable {
        package let identifier: PeerIdentifier
        /// The peer's name, if it is known.
        package var name: String?
        /// Whether the connection request is repeated when the link is lost.
        package var reconnects = false
        /// The attributes that the application discovered; `nil` before the first discovery of
        /// services.
        package var table: RemoteTable?
    }

    package var peers: [Peer] = []
    package var scan: RequestedScan?

    /// Whether there is nothing to restore.
    package var isEmpty: Bool { peers.isEmpty && scan == nil }
}
