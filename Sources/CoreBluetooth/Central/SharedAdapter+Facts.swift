// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

// What managers ask without waiting for the adapter's thread.
extension SharedAdapter {
    /// Whether a peer is one that this host has met, or could have.
    nonisolated func knows(_ peer: PeerIdentifier) -> Bool {
        facts.withLock { $0.bonds[peer] != nil } || host.peerCipher.address(of: peer) != nil
    }

    /// What a peer is called, as far as is known.
    nonisolated func name(of peer: PeerIdentifier) -> String? {
        facts.withLock { $0.book.name(of: peer) }
    }

    /// The peers to which there are links, and of which it is known that they have one of the services.
    nonisolated func connectedPeers(withServices services: [BluetoothUUID]) -> [PeerIdentifier] {
        facts.withLock { facts in
            facts.links.filter { !$0.value.isDisjoint(with: services) }.map(\.key)
                .sorted { $0.description < $1.description }
        }
    }
}
