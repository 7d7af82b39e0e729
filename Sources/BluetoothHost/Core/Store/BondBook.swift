// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

/// The bonds in a store whose host does not run: for who wants to look, or to remove one, without an
/// adapter.
package struct BondBook {
    /// Who the host is that the store belongs to; nil if it has never run, or cannot be known.
    package let localIdentity: DeviceAddress?

    /// The bonds of that host, those whose peers were not met for the longest first.
    package private(set) var bonds: [BondedPeer] = []

    /// What else there is, and why the host would not use it.
    package private(set) var problems: [(entry: String, reason: String)] = []

    private let store: any HostStore

    /// Reads a store, and changes nothing. Throws what the store throws if it cannot be listed.
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

    /// What there is to be said where nobody knows who the host is: of each bond, that it may be
    /// somebody else's.
    private static func problemsWithoutIdentity(
        _ entries: [StoreEntry]
    ) -> [(entry: String, reason: String)] {
        let unclaimed = "whether it is this host's cannot be known without the identity"
        var problems: [(entry: String, reason: String)] = []
        for entry in entries {
            let inventory = BondInventory([entry], localIdentity: entry.maker ?? nobody)
            problems += inventory.bonds.map { _ in (entry.key.description, unclaimed) }
            problems += inventory.findings.map { ($0.key.description, $0.reason) }
        }
        return problems
    }

    /// Stands where no identity is needed: an address that no host has.
    private static let nobody = DeviceAddress(value: 0, kind: .public)

    /// Removes a bond, and whatever is kept of its peer. False if there is none.
    package mutating func remove(_ identifier: PeerIdentifier) throws -> Bool {
        guard let peer = bonds.first(where: { $0.identifier == identifier })?.identity else {
            return false
        }
        // The bond last, so that nothing is ever left of a peer without one.
        for name in [.client(peer), .database(peer), .counter(peer), RecordName.bond(peer)] {
            try store.remove(name.key)
        }
        bonds.removeAll { $0.identifier == identifier }
        return true
    }
}

extension StoreEntry {
    /// Who has made the bond that this is; nil if it is none, or says nothing.
    fileprivate var maker: DeviceAddress? {
        guard case .bond(let peer) = RecordName(key), case .success(let bytes) = contents else {
            return nil
        }
        return (try? Bond(parsing: bytes, peer: peer))?.localIdentity
    }
}
