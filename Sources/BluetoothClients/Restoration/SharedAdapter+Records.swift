// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Stored records. The port writes them atomically: at once, or after a delay if they change often.
extension SharedAdapter {
    /// Reads the records that belong to no single manager, before the first manager receives an
    /// event.
    func openRecords() {
        guard !restoration.isOpen else { return }
        restoration.isOpen = true
        restoration.names = record(PeerNames.recordName, of: "names") ?? PeerNames()
        restoration.index = record(RestorationIndex.recordName, of: "index") ?? RestorationIndex()
        let names = restoration.names.entries
        facts.withLock { facts in
            for entry in names { facts.cache.note(name: entry.name, of: entry.peer) }
        }
    }

    /// Stores the name of a connected peer.
    func store(name: String, of peer: PeerIdentifier) {
        guard restoration.names.learn(name, of: peer) else { return }
        store(restoration.names, as: PeerNames.recordName, of: "names")
    }

    /// Returns the stored intents of a manager; `nil` if there are none, or if they cannot be
    /// decoded.
    func recall<Intents: Recordable>(_ key: RestorationKey) -> Intents? {
        guard let intents: Intents = record(key.recordName, of: key.identifier) else { return nil }
        use(key.recordName)
        return intents
    }

    /// Stores the intents of a manager. `nil` deletes them.
    func store(_ intents: (some Recordable)?, for key: RestorationKey) {
        guard let intents else {
            if port.record(key.recordName) != nil { _ = port.storeRecord(nil, key.recordName) }
            return
        }
        use(key.recordName)
        store(intents, as: key.recordName, of: key.identifier)
    }

    /// Marks a record as the one used last, which may delete the oldest one.
    private func use(_ name: String) {
        guard restoration.index.names.last != name else { return }
        let oldest = restoration.index.use(name)
        if let oldest { _ = port.storeRecord(nil, oldest) }
        store(restoration.index, as: RestorationIndex.recordName, of: "index")
    }

    private func record<Value: Recordable>(_ name: String, of identifier: String) -> Value? {
        guard let bytes = port.record(name) else { return nil }
        do throws(MalformedBytes) {
            return try RestorationRecord.decode(bytes, of: identifier)
        } catch {
            Misuse.warn("The stored state of \(identifier) cannot be restored: \(error)")
            return nil
        }
    }

    private func store(_ value: some Recordable, as name: String, of identifier: String) {
        let bytes = RestorationRecord.encode(value, of: identifier)
        guard port.record(name) != bytes, !port.storeRecord(bytes, name) else { return }
        Misuse.warn("The store has no space for the state of \(identifier)")
        _ = port.storeRecord(nil, name)
    }
}
