// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The peers whose connection events a manager registered for.
struct ConnectionEventRequest: Hashable, Sendable {
    /// The maximum number of services.
    static let serviceLimit = 4

    let services: Set<BluetoothUUID>
    let peers: Set<PeerIdentifier>

    /// Makes the registration from options. `nil` if there are none.
    init?(_ options: [CBConnectionEventMatchingOption: Any]?) {
        guard let options else { return nil }
        let services = options[.serviceUUIDs] as? [CBUUID] ?? []
        if services.count > Self.serviceLimit {
            Misuse.warn(
                "registerForConnectionEvents takes \(Self.serviceLimit) services at most - "
                    + "ignoring the others"
            )
        }
        self.services = Set(services.prefix(Self.serviceLimit).map(\.value))
        peers = Set((options[.peripheralUUIDs] as? [UUID] ?? []).map { PeerIdentifier($0) })
    }

    /// Returns whether a peer with these services matches. A registration without services and
    /// peers matches all peers.
    func includes(_ peer: PeerIdentifier, with services: Set<BluetoothUUID>) -> Bool {
        if self.services.isEmpty, peers.isEmpty { return true }
        return peers.contains(peer) || !self.services.isDisjoint(with: services)
    }
}
