// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What is known of peers without asking them: how they are called, and what they offer.
struct PeerBook: Sendable {
    /// How many peers are remembered for certain.
    static let peerLimit = 4_096

    struct Entry: Hashable, Sendable {
        /// What the peer calls itself in its Device Name, read on a link.
        var name: String?
        /// What it advertised last.
        var advertisedName: String?
        /// The services that it advertised last.
        var services: Set<BluetoothUUID> = []
    }

    private var entries = Recollection<PeerIdentifier, Entry>(generationLimit: peerLimit)

    /// What a peer is called: as it said on a link, and before the first as it advertises.
    func name(of peer: PeerIdentifier) -> String? {
        let entry = entries.peek(peer)
        return entry?.name ?? entry?.advertisedName
    }

    /// What a peer advertised last.
    func services(of peer: PeerIdentifier) -> Set<BluetoothUUID> {
        entries.peek(peer)?.services ?? []
    }

    /// A peer said how it is called; whether that is news.
    @discardableResult
    mutating func note(name: String, of peer: PeerIdentifier) -> Bool {
        var entry = entries[peer] ?? Entry()
        guard entry.name != name else { return false }
        entry.name = name
        entries[peer] = entry
        return true
    }

    /// A peer was heard. What it leaves out it may have said in another packet.
    mutating func note(
        advertisedName: String?,
        services: [BluetoothUUID],
        of peer: PeerIdentifier
    ) {
        var entry = entries[peer] ?? Entry()
        let former = entry
        entry.advertisedName = advertisedName ?? entry.advertisedName
        if !services.isEmpty { entry.services = Set(services) }
        if entry != former { entries[peer] = entry }
    }
}
