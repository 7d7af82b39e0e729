// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

// Intents that change. Whatever changes them says so, and may say so too often: they are looked at
// once, when the adapter has done what it is doing, or before the manager is told of what has come of
// it: what an application knows is on the disk.
extension SharedAdapter {
    /// How long what was only discovered may wait until it is kept: an application that discovers a
    /// large table has it written once, and not after every step. There is no timer for it: it is kept
    /// with the next answer after that, or with the next thing that the application wants.
    private static var growthPause: Duration { .seconds(2) }

    /// Something that a manager wants is different now.
    func intentsChanged(of session: SessionIdentifier) {
        guard restoration.key(of: session) != nil else { return }
        let isFirst = restoration.changed.isEmpty
        restoration.changed.insert(session)
        guard isFirst else { return }
        enter { $0.keepChangedIntents() }
    }

    /// A manager has discovered something.
    func intentsGrew(of session: SessionIdentifier) {
        let last = restoration.keptAt[session] ?? .zero
        guard host.executor.now >= last + Self.growthPause else { return }
        intentsChanged(of: session)
    }

    private func keepChangedIntents() {
        for session in restoration.changed.sorted() { keepIntents(of: session) }
    }

    /// Keeps what a manager wants, if that has changed: before it is told of what has come of it.
    ///
    /// The intents of a manager that is powered off are those that it had before: nobody has ended
    /// them, and a host that is being shut down is powered off, too.
    func keepIntents(of session: SessionIdentifier) {
        guard restoration.changed.remove(session) != nil, state == .poweredOn,
            !restoration.isFrozen, let key = restoration.key(of: session)
        else { return }
        restoration.unkept.remove(session)
        restoration.keptAt[session] = host.executor.now
        switch key.role {
        case .central:
            let intents = centralIntents(of: session)
            keep(intents.isEmpty ? nil : intents, for: key)
        case .peripheral:
            let intents = peripheralManagerIntents(of: session)
            keep(intents.isEmpty ? nil : intents, for: key)
        }
    }

    /// The adapter is coming to its end: what managers want now is what is to be restored, whatever
    /// becomes of it on the way.
    func freezeIntents() {
        for session in restoration.owners.values {
            restoration.changed.insert(session)
            keepIntents(of: session)
        }
        restoration.isFrozen = true
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
