// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Queries of managers that do not wait for the adapter's thread.
extension SharedAdapter {
    /// Returns whether the adapter knows a peer: whether it has a bond with the peer, or made the
    /// peer's identifier from an address.
    package nonisolated func knows(_ peer: PeerIdentifier) -> Bool {
        facts.withLock { $0.bonds[peer] != nil } || port.recognizes(peer)
    }

    /// Returns a peer's name, if it is known.
    package nonisolated func name(of peer: PeerIdentifier) -> String? {
        facts.withLock { $0.cache.name(of: peer) }
    }

    /// Returns the connected peers that are known to have one of the services.
    package nonisolated func connectedPeers(withServices services: [BluetoothUUID])
        -> [PeerIdentifier]
    {
        facts.withLock { facts in
            facts.links.filter { !$0.value.isDisjoint(with: services) }.map(\.key)
                .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
    }

    /// The length of the header of a Write Command (Vol 3, Part F, 3.4.5.3).
    private static let writeHeaderLength = 3

    /// Returns the ATT MTU of the connection to a peer: the initial MTU until an exchange.
    package nonisolated func mtu(of peer: PeerIdentifier) -> Int {
        facts.withLock { $0.mtus[peer] } ?? ATT.defaultMTU
    }

    /// Returns the maximum length of one write in bytes: at most the limit of an attribute value
    /// (Vol 3, Part F, 3.2.9).
    package nonisolated func writeLimit(of peer: PeerIdentifier, withResponse: Bool) -> Int {
        guard !withResponse else { return GATT.valueLengthLimit }
        return min(mtu(of: peer) - Self.writeHeaderLength, GATT.valueLengthLimit)
    }
}
