// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

/// The bonds in the store of a host that is not running, for programs that list and remove bonds
/// without an adapter.
package struct StoredBonds {
    /// The identity address of the store's host, or `nil` if the store has no identity or it cannot
    /// be read.
    package let localIdentity: DeviceAddress?

    /// The bonds of that host. The bond of the peer that connected least recently is first.
    package private(set) var bonds: [BondedPeer] = []

    /// The entries that the host would not use, each with the reason.
    package private(set) var problems: [(entry: String, reason: String)] = []

    private let store: any HostStore

    /// Reads a store without changing it.
    ///
    /// - Throws: The store's error if its entries cannot be listed.
    package init(_ store: any HostStore) throws {
        self.store = store
        var fault: String?
        do {
            let bytes = try store.load(RecordName.identity.key)
            localIdentity = try bytes.map { try Pairing.LocalIdentity(parsing: $0).address }
        } catch {
            localIdentity = nil
            fault = "\(error)"
        }
        if let fault { problems.append((RecordName.identity.key.description, fault)) }
        let entries = try store.readBonds()
        if let localIdentity {
            let inventory = BondInventory(entries, localIdentity: localIdentity)
            bonds = inventory.bonds.map(BondedPeer.init)
            problems += inventory.findings.map { ($0.key.description, $0.reason) }
        } else {
            problems += Self.problemsWithoutIdentity(entries)
        }
    }

    /// Returns the problems of a store without an identity: for each bond, that it may belong to
    /// another host.
    private static func problemsWithoutIdentity(
        _ entries: [StoreEntry]
    ) -> [(entry: String, reason: String)] {
        let unclaimed = "the store has no identity, so the bond may belong to another host"
        var problems: [(entry: String, reason: String)] = []
        for entry in entries {
            let inventory = BondInventory([entry], localIdentity: entry.maker ?? placeholder)
            problems += inventory.bonds.map { _ in (entry.key.description, unclaimed) }
            problems += inventory.findings.map { ($0.key.description, $0.reason) }
        }
        return problems
    }

    /// The placeholder for a missing identity: an address that no host has.
    private static let placeholder = DeviceAddress(value: 0, kind: .public)

    /// Removes a bond and all records of its peer.
    ///
    /// - Returns: `false` if there is no such bond.
    /// - Throws: The store's error if an entry cannot be removed.
    package mutating func remove(_ identifier: PeerIdentifier) throws -> Bool {
        guard let peer = bonds.first(where: { $0.identifier == identifier })?.identity else {
            return false
        }
        // The bond is removed last, so that no record of a peer without a bond is ever left.
        for name in [.client(peer), .database(peer), .counter(peer), RecordName.bond(peer)] {
            try store.remove(name.key)
        }
        bonds.removeAll { $0.identifier == identifier }
        return true
    }
}

extension StoreEntry {
    /// The identity of the host that made this bond, or `nil` if the entry is not a bond or does
    /// not contain it.
    fileprivate var maker: DeviceAddress? {
        guard case .bond(let peer) = RecordName(key), case .success(let bytes) = contents else {
            return nil
        }
        return (try? Bond(parsing: bytes, peer: peer))?.localIdentity
    }
}
