// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Queries of managers that do not wait for the adapter's thread.
extension SharedAdapter {
    /// Returns whether the adapter knows a peer: whether it has a bond with the peer, or made the
    /// peer's identifier from an address.
    nonisolated func knows(_ peer: PeerIdentifier) -> Bool {
        facts.withLock { $0.bonds[peer] != nil } || port.recognizes(peer)
    }

    /// Returns a peer's name, if it is known.
    nonisolated func name(of peer: PeerIdentifier) -> String? {
        facts.withLock { $0.cache.name(of: peer) }
    }

    /// Returns the connected peers that are known to have one of the services.
    nonisolated func connectedPeers(withServices services: [BluetoothUUID]) -> [PeerIdentifier] {
        facts.withLock { facts in
            facts.links.filter { !$0.value.isDisjoint(with: services) }.map(\.key)
                .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
    }
}
