// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A central manager at its adapter.
package struct CentralSession: Sendable {
    package let identifier: SessionIdentifier
    package let delivery: Delivery<CentralEvent>
    /// The name under which the manager's state is restored at the next launch.
    package var restoreIdentifier: String?
    /// Whether the manager follows the rules for applications in the background.
    package var followsBackgroundRules = false
    /// The number of states that were sent to the manager. A command that was given before
    /// the manager received the last state is ignored, because it was meant for the former state.
    var statesSent = 0
    /// The peers whose connection events the manager registered for; `nil` if it did not register.
    var connectionEvents: ConnectionEventRequest?
    /// The manager's scan; `nil` while it does not scan.
    var scan: RequestedScan?

    package init(
        identifier: SessionIdentifier,
        delivery: Delivery<CentralEvent>,
        restoreIdentifier: String? = nil,
        followsBackgroundRules: Bool = false
    ) {
        self.identifier = identifier
        self.delivery = delivery
        self.restoreIdentifier = restoreIdentifier
        self.followsBackgroundRules = followsBackgroundRules
    }
}

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
