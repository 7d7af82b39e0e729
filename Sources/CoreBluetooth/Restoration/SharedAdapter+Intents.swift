// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

// Intents that change. Whatever changes them says so, and may say so too often: they are looked at
// once, when the adapter has done what it is doing.
extension SharedAdapter {
    /// Something that a manager wants is different now.
    func intentsChanged(of session: SessionIdentifier) {
        guard restoration.key(of: session) != nil else { return }
        let isFirst = restoration.changed.isEmpty
        restoration.changed.insert(session)
        guard isFirst else { return }
        enter { $0.keepChangedIntents() }
    }

    /// Links are gone, and those that were restored will not come.
    func restorationLostPower() {
        restoration.awaitingLink = [:]
        client.tables = [:]
    }

    /// What was restored goes on; and what managers want from now on is what is left of it.
    func restorationGainedPower() {
        restoration.isFrozen = false
        resumeRestored()
        for session in restoration.owners.values { intentsChanged(of: session) }
    }

    /// The intents of a manager that is powered off are those that it had before: nobody has ended
    /// them, and a host that is being shut down is powered off, too.
    private func keepChangedIntents() {
        let changed = restoration.changed
        restoration.changed = []
        guard state == .poweredOn, !restoration.isFrozen else { return }
        for session in changed.sorted() {
            guard let key = restoration.key(of: session) else { continue }
            switch key.role {
            case .central:
                let intents = centralIntents(of: session)
                keep(intents.isEmpty ? nil : intents, for: key)
            case .peripheral:
                let intents = peripheralManagerIntents(of: session)
                keep(intents.isEmpty ? nil : intents, for: key)
            }
        }
    }

    /// Gives a manager its restore identifier; false if another one has it.
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
