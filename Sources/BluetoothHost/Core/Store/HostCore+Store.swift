// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

// The store's results. The driver reads and writes. The core decides which entries are written, and
// when, and gets the result of each write.
extension HostCore {
    /// Takes the bonds in the store at the start of the host.
    package mutating func storeOpened(_ entries: [StoreEntry], now: Instant) {
        let inventory = BondInventory(entries, localIdentity: context.localIdentity.address)
        for finding in inventory.findings { context.report(finding) }
        let configured = Set(bonds.map(\.peer))
        context.bonds = inventory.bonds.filter { !configured.contains($0.peer) } + bonds
        context.storeState.counters = inventory.counters
        for finding in inventory.findings { loseCounter(finding) }
        bondsChanged(now: now)
        // The store may have one bond more, which was to be removed after another was saved.
        while bonds.count > Self.bondLimit, let oldest = bonds.first {
            dropBond(of: oldest.peer, now: now)
        }
    }

    /// Marks all counters of a bond as used if the entry with its counter is not usable. The host may
    /// have signed with any of them. The bond signs again when it has another key.
    private mutating func loseCounter(_ finding: BondInventory.Finding) {
        guard case .counter(let peer)? = RecordName(finding.key),
            bonds.contains(where: { $0.peer == peer })
        else { return }
        context.storeState.counters[peer] = .exhausted
        // The next start of the host finds no trace of an entry that is set aside.
        if case .unusable = finding { context.write(.counter(peer)) }
    }

    /// Handles a store whose entries could not be listed at the start of the host. The host replaces
    /// and removes no entry that it may not know.
    package mutating func listingFailed(_ fault: StoreFault) {
        context.storeState.checkedKeys = []
        storeFailed("the store cannot be read: \(fault.text)")
    }

    /// Handles the result of setting an entry aside.
    ///
    /// - Parameter reason: The reason, or `nil` if there was no entry with this key.
    package mutating func wasSetAside(_ key: StoreKey, because reason: String?) {
        context.storeState.own(key)
        guard let reason else { return }
        emit(.event(.security(.setAside(entry: key.description, reason: reason))))
    }

    /// Handles an entry that could not be set aside. The entry stays unchanged.
    package mutating func setAsideFailed(_ key: StoreKey, _ fault: StoreFault) {
        context.storeState.untouchedKeys.insert(key)
        storeFailed("\(key): \(fault.text)")
    }

    /// Returns the reason why the driver must not write an entry, or `nil` if it may.
    package func refusal(ofWriting key: StoreKey) -> StoreFault? {
        guard context.storeState.mustKeep(key) else { return nil }
        return StoreFault(text: "the earlier entry cannot be set aside")
    }

    /// Reports that the store cannot be used, with the reason.
    package mutating func storeFailed(_ text: String) {
        emit(.event(.security(.storeFailed(text))))
    }

    /// Handles the confirmation that an entry was written.
    package mutating func saved(_ key: StoreKey, now: Instant) {
        switch RecordName(key) {
        case .identity:
            context.storeState.isIdentityUnsaved = false
            // Bonds that waited for the identity are written.
            forEachLink(now: now) { $0.saveBond(&$1) }
        case .bond(let peer):
            for link in links.identifiers {
                guard let bond = look(at: link, { $0.protection.unsavedBond }), bond.peer == peer
                else { continue }
                adopt(bond, on: link, now: now)
            }
        default: break
        }
    }

    /// Handles a failed write. If the entry is the bond of a pairing, the pairing fails, and the
    /// store gets the peer's earlier bond again, or none. The host uses any other entry from memory
    /// and writes it later.
    package mutating func saveFailed(_ key: StoreKey, _ fault: StoreFault, now: Instant) {
        storeFailed("\(key): \(fault.text)")
        guard let name = RecordName(key) else { return }
        switch name {
        case .identity: bondNotSaved(fault, now: now)
        case .bond(let peer):
            if bondNotSaved(of: peer, fault, now: now) { return context.restore(name) }
        default: break
        }
        guard shutdownDeadline == nil, state != .closed else { return }
        if case .counter(let peer) = name {
            context.storeState.counters[peer]?.reservationFailed()
        }
        context.storeState.schedule.failed(name, now: now)
    }

    /// Fails the pairings whose bond could not be written, with this peer or, with `nil`, with all
    /// peers. Returns whether there were any.
    @discardableResult
    private mutating func bondNotSaved(
        of peer: DeviceAddress? = nil,
        _ fault: StoreFault,
        now: Instant
    ) -> Bool {
        let failed = links.identifiers.filter { link in
            guard let bond = look(at: link, { $0.protection.unsavedBond }) else { return false }
            return peer == nil || bond.peer == peer
        }
        for link in failed { withLink(link, now: now) { $0.bondNotSaved(fault, &$1) } }
        return !failed.isEmpty
    }

    /// Handles an entry that could not be read. The entry stays unchanged.
    package mutating func readFailed(_ key: StoreKey, _ fault: StoreFault) {
        context.report(.foreign(key, reason: fault.text))
    }
}
