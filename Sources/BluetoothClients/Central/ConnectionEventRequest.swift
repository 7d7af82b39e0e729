// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The peers whose connection events a manager registered for.
package struct ConnectionEventRequest: Hashable, Sendable {
    /// The maximum number of services.
    package static let serviceLimit = 4

    package let services: Set<BluetoothUUID>
    package let peers: Set<PeerIdentifier>

    package init(services: Set<BluetoothUUID>, peers: Set<PeerIdentifier>) {
        self.services = services
        self.peers = peers
    }

    /// Returns whether a peer with these services matches. A registration without services and
    /// peers matches all peers.
    func includes(_ peer: PeerIdentifier, with services: Set<BluetoothUUID>) -> Bool {
        if self.services.isEmpty, peers.isEmpty { return true }
        return peers.contains(peer) || !self.services.isDisjoint(with: services)
    }
}
