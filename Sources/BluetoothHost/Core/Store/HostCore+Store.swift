// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports

// What the core keeps in its store. The driver reads and writes; the core says what and when, and
// hears what has failed. What a peer or the application is told of is written before they are told:
// a `save` is in the outbox before the packet and the answer that come of it.
extension HostCore {
    /// What the store has of bonds, when the host begins.
    package mutating func storeOpened(_ entries: [StoreEntry], now: Instant) {
        let inventory = BondInventory(entries, localIdentity: localIdentity.address)
        for finding in inventory.findings { report(finding) }
        let configured = Set(bonds.map(\.peer))
        bonds = inventory.bonds.filter { !configured.contains($0.peer) } + bonds
        keeping.counters = inventory.counters
        bondsChanged(now: now)
        // One more may be there: it was to be removed after another was saved.
        while bonds.count > Self.bondLimit, let oldest = bonds.first {
            dropBond(of: oldest.peer, now: now)
        }
    }

    /// The store cannot be used, in words.
    package mutating func storeFailed(_ text: String) {
        emit(.security(.storeFailed(text)))
    }

    /// Something could not be written. What the host has in memory counts; it is written later.
    package mutating func saveFailed(_ key: StoreKey, _ fault: StoreFault, now: Instant) {
        storeFailed("\(key): \(fault.text)")
        guard let name = RecordName(key), farewellDeadline == nil, state != .closed else { return }
        if case .counter(let peer) = name { keeping.counters[peer]?.reservationFailed() }
        keeping.schedule.failed(name, now: now)
    }

    /// Something could not be read. It stays as it is.
    package mutating func readFailed(_ key: StoreKey, _ fault: StoreFault) {
        report(.foreign(key, reason: fault.text))
    }

    mutating func report(_ finding: BondInventory.Finding) {
        switch finding {
        case .unusable(let key, let reason): setAside(key, because: reason)
        case .foreign(let key, let reason):
            keeping.leftAlone.insert(key)
            emit(.security(.leftAlone(entry: key.description, reason: reason)))
        }
    }

    private mutating func setAside(_ key: StoreKey, because reason: String) {
        emit(.setAside(key, reason: reason))
        emit(.security(.setAside(entry: key.description, reason: reason)))
    }
}

// Writing.
extension HostCore {
    /// Something changed that is kept: it is written before the next packet leaves, unless that has
    /// happened too often of late.
    mutating func keep(_ name: RecordName) {
        if configuration.store != nil { keeping.schedule.want(name) }
    }

    /// Writes what has changed, as far as it may be written now.
    mutating func writeChanges(now: Instant) {
        for name in keeping.schedule.takeDue(now: now) { write(name) }
    }

    /// Writes all that waits: the host ends.
    mutating func writeEverything() {
        for name in keeping.schedule.takeAll() { write(name) }
    }

    /// Writes an entry, whatever was written of late.
    mutating func write(_ name: RecordName) {
        keeping.schedule.forget(name)
        guard configuration.store != nil, let bytes = contents(of: name) else { return }
        if keeping.leftAlone.remove(name.key) != nil {
            setAside(name.key, because: "made room for what this host keeps")
        }
        emit(.save(bytes, name.key))
    }

    /// Removes an entry.
    mutating func discard(_ name: RecordName) {
        keeping.schedule.forget(name)
        guard configuration.store != nil, !keeping.leftAlone.contains(name.key) else { return }
        emit(.remove(name.key))
    }

    /// An entry as it is now; nil if there is nothing to be kept.
    private func contents(of name: RecordName) -> [UInt8]? {
        switch name {
        case .identity: localIdentity.encode()
        // Written when it was drawn, and never again.
        case .secret: nil
        case .order: MeetingOrder(bonds.map(\.peer)).encode()
        case .bond(let peer):
            bonds.first { $0.peer == peer }?.encode(localIdentity: localIdentity.address)
        case .counter(let peer): keeping.counters[peer]?.encode(for: peer)
        case .client(let peer): storedMemory(of: peer)?.encode(for: peer)
        case .database(let peer): databases.record(of: peer)?.encode(for: peer)
        case .application(let name):
            applicationRecords[name].map { Record.encode($0, of: name) }
        }
    }

    /// What is kept of a client, with the counter that is ahead of those that it has used.
    private func storedMemory(of peer: DeviceAddress) -> ClientMemory? {
        var memory = memories[peer]
        if let ceiling = keeping.ceilings[peer]?.ceiling { memory?.lastSignCounter = ceiling }
        return memory
    }
}
