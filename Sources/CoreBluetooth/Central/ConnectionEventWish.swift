// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// Of which peers a manager wants to hear that they connect or disconnect, whoever wanted that.
struct ConnectionEventWish: Hashable, Sendable {
    /// How many services there may be.
    static let serviceLimit = 4

    let services: Set<BluetoothUUID>
    let peers: Set<PeerIdentifier>

    /// Nil if the options ask for nothing.
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

    /// Whether a peer with these services is one of them. Who names neither services nor peers means
    /// all.
    func includes(_ peer: PeerIdentifier, with services: Set<BluetoothUUID>) -> Bool {
        if self.services.isEmpty, peers.isEmpty { return true }
        return peers.contains(peer) || !self.services.isDisjoint(with: services)
    }
}
