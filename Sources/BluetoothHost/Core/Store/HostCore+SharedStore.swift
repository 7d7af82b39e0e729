// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

// The store that several hosts share. Together they are one device: they have one identity, and
// each of them has a controller of its own. A bond belongs to all of them. The state of a peer that
// changes while the peer is connected is in the memory of one host at a time. That host hands the
// state over to the host to which the peer connects next.
extension HostCore {
    /// An entry that a host hands over to another host.
    struct TransferredEntry {
        let bytes: [UInt8]
        /// Whether the store does not have these bytes yet.
        let isUnsaved: Bool
    }

    /// Takes an entry that another host has written or, with `nil`, removed.
    mutating func entryChanged(_ key: StoreKey, to bytes: [UInt8]?, now: Instant) {
        guard let name = RecordName(key) else { return }
        context.storeState.own(key)
        switch name {
        case .bond(let peer):
            let bond = bytes.flatMap { try? Bond(parsing: $0, peer: peer) }
            replaceBond(of: peer, with: bond, now: now)
        case .counter(let peer):
            context.storeState.schedule.forget(name)
            // The other host has reserved counters, so this host skips the rest of its own.
            context.storeState.counters[peer] = bytes.flatMap {
                try? SignCounter(parsing: $0, peer: peer)
            }
        case .client, .database, .application: context.forgetCopy(of: name)
        case .identity, .secret, .order: break
        }
    }

    /// Removes the copy of an entry from memory, because another host takes it over.
    ///
    /// - Returns: The entry, or `nil` if this host has no copy.
    mutating func handOver(_ key: StoreKey) -> TransferredEntry? {
        guard let name = RecordName(key), context.isExclusive(name) else { return nil }
        var isUnsaved = context.storeState.schedule.waiting.contains(name)
        // The link of this host may not have ended yet. The other host needs the last counter, not
        // the limit of this host's block.
        if case .client(let peer) = name, context.storeState.ceilings[peer]?.ceiling != nil {
            context.storeState.ceilings[peer]?.removeLimit()
            isUnsaved = true
        }
        guard let bytes = context.contents(of: name) else { return nil }
        context.forgetCopy(of: name)
        return TransferredEntry(bytes: bytes, isUnsaved: isUnsaved)
    }

    /// Replaces or removes a bond in memory, after another host has done so in the store.
    private mutating func replaceBond(of peer: DeviceAddress, with bond: Bond?, now: Instant) {
        if bond == nil { disconnect(bonded: peer, now: now) }
        context.bonds.removeAll { $0.peer == peer }
        if let bond { context.bonds.append(bond) } else { context.storeState.forget(peer) }
        context.storeState.schedule.forget(.bond(peer))
        for name in [RecordName.client(peer), .database(peer)] { context.forgetCopy(of: name) }
        bondsChanged(now: now)
        updateBond(on: peer, now: now)
    }
}

extension LinkContext {
    /// Returns whether only one host at a time may have this entry in its memory.
    func isExclusive(_ name: RecordName) -> Bool {
        switch name {
        case .client, .database, .application: true
        case .identity, .secret, .order, .bond, .counter: false
        }
    }

    /// Removes an entry from memory, but not from the store.
    mutating func forgetCopy(of name: RecordName) {
        storeState.schedule.forget(name)
        switch name {
        case .client(let peer):
            clientRecords[peer] = nil
            storeState.ceilings[peer] = nil
        case .database(let peer): databases.forget(peer)
        case .application(let name): applicationRecords[name] = nil
        case .identity, .secret, .order, .bond, .counter: break
        }
    }
}
