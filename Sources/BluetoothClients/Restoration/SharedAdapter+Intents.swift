// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Storing changed intents. Every change calls `intentsChanged`, or `intentsGrew` if attributes were
// discovered. Both may also be called without a change. After `intentsChanged`, the intents are
// stored once: when the adapter has finished its current work, or before the manager receives an
// event that results from them.
extension SharedAdapter {
    /// The minimum time between two writes that only discovered attributes cause. Without it, every
    /// step of a discovery would cause a write. There is no timer: the attributes are stored with
    /// the next event of a peripheral after this time, or with the next change of the intents.
    private static var growthPause: Duration { .seconds(2) }

    /// Schedules storing a manager's intents, because they may have changed.
    func intentsChanged(of session: SessionIdentifier) {
        guard restoration.key(of: session) != nil else { return }
        let isFirst = restoration.changed.isEmpty
        restoration.changed.insert(session)
        guard isFirst else { return }
        execute { $0.storeChangedIntents() }
    }

    /// Schedules storing a manager's intents, because it discovered attributes. Does nothing if the
    /// intents were stored less than `growthPause` ago.
    func intentsGrew(of session: SessionIdentifier) {
        let last = restoration.storedAt[session] ?? .zero
        guard executor.now >= last + Self.growthPause else { return }
        intentsChanged(of: session)
    }

    private func storeChangedIntents() {
        for session in restoration.changed.sorted() { storeIntents(of: session) }
    }

    /// Stores a manager's intents if they may have changed.
    ///
    /// While Bluetooth is off, the stored intents stay as they were: the application has not ended
    /// them. Bluetooth is also off in a host that is being shut down.
    func storeIntents(of session: SessionIdentifier) {
        guard restoration.changed.remove(session) != nil, state == .poweredOn,
            !restoration.isFrozen, let key = restoration.key(of: session)
        else { return }
        restoration.unstored.remove(session)
        restoration.storedAt[session] = executor.now
        switch key.role {
        case .central:
            let intents = centralIntents(of: session)
            store(intents.isEmpty ? nil : intents, for: key)
        case .peripheral:
            let intents = peripheralManagerIntents(of: session)
            store(intents.isEmpty ? nil : intents, for: key)
        }
    }

    /// Stores the intents of all managers, because the adapter is being closed. Changes from then
    /// on are not stored.
    func freezeIntents() {
        for session in restoration.owners.values {
            restoration.changed.insert(session)
            storeIntents(of: session)
        }
        restoration.isFrozen = true
    }

    /// Removes the restored links and the discovered attributes, because Bluetooth is off.
    func restorationLostPower() {
        restoration.awaitingLink = [:]
        restoration.placeholders = [:]
        client.tables = [:]
    }

    /// Continues restored state. From now on the managers' own intents are stored.
    func restorationGainedPower() {
        restoration.isFrozen = false
        resumeRestored()
        for session in restoration.owners.values { intentsChanged(of: session) }
    }

    /// Assigns a restore identifier to a manager. Returns `false` if another manager has it.
    func take(_ key: RestorationKey, for session: SessionIdentifier) -> Bool {
        openRecords()
        if restoration.take(key, for: session) { return true }
        Misuse.warn(
            "Another manager has the restore identifier \(key.identifier) already. "
                + "Restoring will not be supported"
        )
        return false
    }
}
