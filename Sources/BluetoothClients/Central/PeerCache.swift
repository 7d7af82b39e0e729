// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A cache of the names and services of peers.
struct PeerCache: Sendable {
    /// The number of peers that are never dropped: those used most recently.
    static let peerLimit = 4_096

    struct Entry: Hashable, Sendable {
        /// The Device Name that was read on a link.
        package var name: String?
        /// The name that was advertised last.
        var advertisedName: String?
        /// The services that were advertised last.
        package var services: Set<BluetoothUUID> = []
    }

    private var entries = RecencyCache<PeerIdentifier, Entry>(generationLimit: peerLimit)

    /// Returns a peer's name: the Device Name, or the advertised name until the Device Name is
    /// read.
    func name(of peer: PeerIdentifier) -> String? {
        let entry = entries.peek(peer)
        return entry?.name ?? entry?.advertisedName
    }

    /// Returns the services that a peer advertised last.
    func services(of peer: PeerIdentifier) -> Set<BluetoothUUID> {
        entries.peek(peer)?.services ?? []
    }

    /// Stores a peer's Device Name. Returns whether it is new.
    @discardableResult
    mutating func note(name: String, of peer: PeerIdentifier) -> Bool {
        var entry = entries[peer] ?? Entry()
        guard entry.name != name else { return false }
        entry.name = name
        entries[peer] = entry
        return true
    }

    /// Stores the contents of an advertisement. Missing contents keep their value, because they may
    /// be in another packet.
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
