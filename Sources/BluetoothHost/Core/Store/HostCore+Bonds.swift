// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The bonds of the host. The bond of a pairing is added after the store has confirmed it.
extension HostCore {
    /// The maximum number of bonds. A further bond replaces another: of the peers that are not
    /// connected, the bond of the one that connected least recently.
    package static let bondLimit = 1_024

    /// Adds a bond, or replaces the bond of its peer, and writes it to the store.
    ///
    /// A peer that bonds again keeps its identifier, and its name if the new bond has none.
    ///
    /// - Parameter isSaved: Whether the store already has this bond.
    /// - Returns: Whether the bond was added; `false` if there is no room (`hasRoom`).
    @discardableResult
    package mutating func keepBond(_ bond: Bond, isSaved: Bool = false, now: Instant) -> Bool {
        guard hasRoom(for: bond) else { return false }
        let earlier = bonds.first { $0.peer == bond.peer }
        let displaced = displaced(by: bond)
        insert(bond, insteadOf: earlier)
        if !isSaved { context.write(.bond(bond.peer)) }
        forgetOldDatabase(of: earlier, replacedBy: bond)
        forgetOldCounters(of: earlier, replacedBy: bond)
        bondsChanged(now: now)
        updateBond(on: bond.peer, now: now)
        // The displaced bond is removed last, because it stays in the store until the store has the
        // new one.
        if let displaced { dropBond(of: displaced.peer, now: now) }
        return true
    }

    /// Returns whether the host has room for a bond. A new peer's bond has no room if the host has
    /// `bondLimit` bonds and all their peers are connected.
    func hasRoom(for bond: Bond) -> Bool {
        isKnown(bond) || bonds.count < Self.bondLimit || displaced(by: bond) != nil
    }

    private func isKnown(_ bond: Bond) -> Bool { bonds.contains { $0.peer == bond.peer } }

    /// Returns the bond that the host would remove to make room for `bond`, or `nil` if it would
    /// remove none.
    private func displaced(by bond: Bond) -> Bond? {
        guard !isKnown(bond), bonds.count >= Self.bondLimit else { return nil }
        return bonds.first { !isConnected(to: $0.peer) }
    }

    private mutating func insert(_ bond: Bond, insteadOf earlier: Bond?) {
        var bond = bond
        bond.localIdentity = bond.localIdentity ?? context.localIdentity.address
        if let earlier {
            bond.identifier = earlier.identifier
            bond.name = bond.name ?? earlier.name
        }
        if let index = bonds.firstIndex(where: { $0.peer == bond.peer }) {
            context.bonds[index] = bond
        } else {
            context.bonds.append(bond)
        }
        if earlier?.hasKeys(of: bond) != true { context.markBondUsed(by: bond.peer) }
    }

    /// Removes the peer's database that belongs to an earlier bond. The peer may have lost its data,
    /// and does not report changes to a client that it no longer knows. If the entry of the earlier
    /// bond was damaged, only the store has such a database.
    private mutating func forgetOldDatabase(of earlier: Bond?, replacedBy bond: Bond) {
        if let earlier {
            if !earlier.hasKeys(of: bond) { context.forgetDatabase(of: bond.peer) }
        } else if context.databases.record(of: bond.peer) == nil {
            context.discard(.database(bond.peer))
        }
    }

    /// Removes the counters of old signing keys, because new signing keys start with new counters
    /// (Vol 3, Part H, 2.4.5). The store can have such counters even without an earlier bond, whose
    /// entry was damaged.
    private mutating func forgetOldCounters(of earlier: Bond?, replacedBy bond: Bond) {
        if earlier?.localSigningKey != bond.localSigningKey,
            context.storeState.counters.removeValue(forKey: bond.peer) != nil
        {
            context.discard(.counter(bond.peer))
        }
        guard earlier?.peerSigningKey != bond.peerSigningKey else { return }
        context.storeState.ceilings[bond.peer] = nil
        guard context.clientRecords[bond.peer] != nil else {
            return context.discard(.client(bond.peer))
        }
        context.clientRecords[bond.peer]?.lastSignCounter = nil
        context.keep(.client(bond.peer))
    }

    /// Gives each link that has a bond with this peer the current bond. No other link gets the
    /// bond, because no pairing has taken place on it.
    mutating func updateBond(on peer: DeviceAddress, now: Instant) {
        let bond = bonds.first { $0.peer == peer }
        forEachLink(where: { $0.bond?.peer == peer }, now: now) {
            $0.bondReplaced(by: bond, &$1)
        }
    }

    /// Removes the bond and all stored data of a peer. An encrypted link stays encrypted.
    package mutating func dropBond(of peer: DeviceAddress, now: Instant) {
        guard let index = bonds.firstIndex(where: { $0.peer == peer }) else { return }
        let bond = context.bonds.remove(at: index)
        // The bond is removed last. If the host is killed in between, no record of a peer without a
        // bond is left.
        context.forgetClient(peer)
        context.storeState.forget(peer)
        context.discard(.counter(peer))
        context.discard(.bond(peer))
        bondsChanged(now: now)
        updateBond(on: peer, now: now)
        emit(.event(.security(.bondRemoved(BondedPeer(bond)))))
    }

    /// Handles the end of a pairing on this link. If the host has room for the bond, it adds the
    /// bond after the store has confirmed it.
    mutating func paired(_ strength: LinkSecurity, on link: LinkIdentifier, now: Instant) {
        guard let bond = look(at: link, { $0.protection.unsavedBond }) else { return }
        guard hasRoom(for: bond) else {
            return withLink(link, now: now) { $0.bondRefused(strength, &$1) } ?? ()
        }
        guard context.configuration.store != nil else { return adopt(bond, on: link, now: now) }
        withLink(link, now: now) { $0.saveBond(&$1) }
    }

    /// Adds the bond of a pairing, which the store has confirmed if there is one, and lets the link
    /// use it.
    mutating func adopt(_ bond: Bond, on link: LinkIdentifier, now: Instant) {
        withLink(link, now: now) { link, _ in
            link.protection.unsavedBond = nil
            link.bond = nil
            link.identity = bond.peer
        }
        keepBond(bond, isSaved: context.configuration.store != nil, now: now)
        withLink(link, now: now) { $0.adopt(bond, &$1) }
    }

    /// Stores new information about the bonded peer of a link.
    mutating func bondChanged(_ bond: Bond, on link: LinkIdentifier, now: Instant) {
        guard keepBond(bond, now: now) else { return }
        withLink(link, now: now) { link, _ in link.bond = bond }
    }

    /// Returns the counter for the next command that the host signs for a bonded peer. See
    /// `LinkContext.takeSignCounter(for:)`.
    package mutating func takeSignCounter(for peer: DeviceAddress) -> UInt32? {
        context.takeSignCounter(for: peer)
    }

    /// Ends the links with a peer whose bond is about to be removed.
    package mutating func disconnect(bonded peer: DeviceAddress, now: Instant) {
        forEachLink(where: { $0.bond?.peer == peer }, now: now) {
            $0.disconnect(request: nil, isUrgent: true, &$1)
        }
    }

    private func isConnected(to peer: DeviceAddress) -> Bool {
        links.cores.indices.contains { links.cores[$0].identity == peer }
    }
}

extension Bond {
    /// Returns whether another bond has the same keys, regardless of identifier, name and local
    /// identity.
    fileprivate func hasKeys(of other: Bond) -> Bool {
        var bond = other
        (bond.identifier, bond.name, bond.localIdentity) = (identifier, name, localIdentity)
        return bond == self
    }
}
