// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports

// Writing to the store. The outbox places a `save` ahead of the packet and the completion that
// depend on it. The host uses the bond of a pairing only after the store has confirmed it. It uses
// every other entry at once, and repeats a write that failed.
extension LinkContext {
    /// Schedules an entry that has changed. It is written before the next packet is sent, unless
    /// its recent writes have used up its allowance (`SaveSchedule`).
    mutating func keep(_ name: RecordName) {
        if configuration.store != nil { storeState.schedule.request(name) }
    }

    /// Writes the changed entries whose allowance permits it now.
    mutating func writeChanges(now: Instant) {
        for name in storeState.schedule.takeDue(now: now) { write(name) }
    }

    /// Writes all entries that wait, because the host ends.
    mutating func writeEverything() {
        for name in storeState.schedule.takeAll() { write(name) }
    }

    /// Writes an entry, regardless of its allowance.
    mutating func write(_ name: RecordName) {
        storeState.schedule.forget(name)
        if let bytes = contents(of: name) { save(bytes, as: name) }
    }

    /// Writes these bytes as an entry. A foreign entry with the same key is set aside.
    mutating func save(_ bytes: [UInt8], as name: RecordName) {
        guard configuration.store != nil else { return }
        storeState.schedule.forget(name)
        if storeState.mustKeep(name.key) {
            emit(.setAside(name.key, reason: "replaced by an entry of this host"))
        }
        emit(.save(bytes, name.key))
    }

    /// Removes an entry. An entry that the host must keep stays, and the host no longer uses it.
    mutating func discard(_ name: RecordName) {
        storeState.schedule.forget(name)
        guard configuration.store != nil else { return }
        if storeState.mustKeep(name.key) {
            storeState.untouchedKeys.insert(name.key)
        } else {
            emit(.remove(name.key))
        }
    }

    /// Writes the current contents of an entry, or removes it if it has none: the store may have
    /// kept other bytes although their write failed.
    mutating func restore(_ name: RecordName) {
        if contents(of: name) == nil { discard(name) } else { write(name) }
    }

    /// Returns the current contents of an entry, or `nil` if there is nothing to store.
    func contents(of name: RecordName) -> [UInt8]? {
        switch name {
        case .identity: localIdentity.encode()
        case .secret: Record.encode(secret: peerCipher.secret)
        case .order: BondOrder(bonds.map(\.peer)).encode()
        case .bond(let peer):
            bonds.first { $0.peer == peer }?.encode(localIdentity: localIdentity.address)
        case .counter(let peer): storeState.counters[peer]?.encode(for: peer)
        case .client(let peer): storedRecord(of: peer)?.encode(for: peer)
        case .database(let peer): databases.record(of: peer)?.encode(for: peer)
        case .application(let name):
            applicationRecords[name].map { Record.encode($0, of: name) }
        }
    }

    /// Returns a client's record in the form in which it is stored. While the client signs, the
    /// stored counter is ahead of those that the client has used (`CounterCeiling`).
    private func storedRecord(of peer: DeviceAddress) -> ClientRecord? {
        var record = clientRecords[peer]
        if let ceiling = storeState.ceilings[peer]?.ceiling { record?.lastSignCounter = ceiling }
        return record
    }

    /// Reports an entry that the host cannot use, and sets it aside unless the host must not change
    /// it.
    mutating func report(_ finding: BondInventory.Finding) {
        switch finding {
        case .unusable(let key, let reason): emit(.setAside(key, reason: reason))
        case .foreign(let key, let reason):
            storeState.untouchedKeys.insert(key)
            emit(.event(.security(.leftAlone(entry: key.description, reason: reason))))
        }
    }
}

// Bonds, as far as links need them.
extension LinkContext {
    /// Returns whether the bond was removed while its link continues.
    func isRemoved(_ bond: Bond) -> Bool { !bonds.contains { $0.peer == bond.peer } }

    /// Moves a bond to the end of the list, because its peer has proved its identity.
    mutating func markBondUsed(by peer: DeviceAddress) {
        guard bonds.last?.peer != peer, let index = bonds.firstIndex(where: { $0.peer == peer })
        else { return }
        bonds.append(bonds.remove(at: index))
        keep(.order)
    }

    /// Returns the counter for the next command that the host signs for a bonded peer (Vol 3, Part
    /// H, 2.4.5). Each counter is used once, even if the host is killed. Returns `nil` if the bond
    /// has no signing key, or if all counters of the key are used.
    mutating func takeSignCounter(for peer: DeviceAddress) -> UInt32? {
        guard bonds.contains(where: { $0.peer == peer && $0.localSigningKey != nil }),
            let taken = storeState.counters[peer, default: SignCounter()].take()
        else { return nil }
        if taken.isBlockNew { write(.counter(peer)) }
        return taken.counter
    }

    mutating func forgetDatabase(of peer: DeviceAddress) {
        databases.forget(peer)
        discard(.database(peer))
    }

    /// Removes the configuration and the database of a client.
    mutating func forgetClient(_ peer: DeviceAddress) {
        clientRecords[peer] = nil
        forgetDatabase(of: peer)
        discard(.client(peer))
    }
}
