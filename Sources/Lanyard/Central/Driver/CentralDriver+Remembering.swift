// SPDX-License-Identifier: Apache-2.0

import Foundation

// Accessories that are remembered across launches.

extension CentralDriver {
    /// Reads the store, and creates the accessories for whose kind the central has a description.
    func recallAccessories() {
        do {
            let found = try store.load()
            for setAside in found.setAside { reportSetAside(setAside) }
            for accessory in found.accessories { recall(accessory) }
            backlog.isUnread = false
        } catch {
            backlog.isUnread = true
            storeFailed("could not be read", error)
        }
    }

    private func recall(_ remembered: RememberedAccessory) {
        // The store failed to erase an accessory that was forgotten before it could be read.
        guard !backlog.unerased.contains(remembered.identity) else { return }
        let description = descriptions.first { $0.kind == remembered.kind }
        if let entry = entry(of: remembered.identity) { return keepAppData(remembered, entry) }
        guard let description, entries.count < Self.accessoryLimit else {
            log.notice("\(remembered.identity) is unused: no description fits, or the list is full")
            return
        }
        let snapshot = AccessorySnapshot(
            description,
            name: remembered.name,
            beginningWith: AccessoryChange(.waitingForBluetooth, .remembered)
        )
        snapshot.setGivenName(remembered.givenName)
        snapshot.changeNotes { $0 = remembered.notes }
        let entry = makeEntry(description, snapshot, isRemembered: true)
        entry.identity = remembered.identity
        entry.remembered = remembered
        let identity = remembered.identity
        _ = identities.adopt(remembered.systemIdentifier, as: identity, now: now)
        show(entry, as: identity)
    }

    /// Keeps what the store has for an accessory that was paired before the store could be read.
    private func keepAppData(_ stored: RememberedAccessory, _ entry: AccessoryEntry) {
        guard var remembered = backlog.unsaved[stored.identity], remembered.kind == stored.kind
        else { return }
        let snapshot = entry.snapshot
        if snapshot.givenName == nil { snapshot.setGivenName(stored.givenName) }
        snapshot.changeNotes { $0.merge(stored.notes) { new, _ in new } }
        remembered.givenName = snapshot.givenName
        remembered.notes = snapshot.notes
        remembered.rememberedSince = stored.rememberedSince
        entry.remembered = remembered
        backlog.unsaved[stored.identity] = remembered
    }

    /// Requests a connection to every remembered accessory, at launch.
    func connectRemembered() {
        for entry in entries { feed(.command(.connect), to: entry) }
    }

    func makeEntry(
        _ description: AccessoryDescription,
        _ snapshot: AccessorySnapshot,
        isRemembered: Bool,
        isPairedHere: Bool = false,
        target: PairingTarget? = nil
    ) -> AccessoryEntry {
        let entry = AccessoryEntry(
            number: nextNumber(),
            description,
            snapshot: snapshot,
            isRemembered: isRemembered,
            isPairedHere: isPairedHere,
            target: target
        )
        entries.append(entry)
        index.insert(entry)
        return entry
    }

    func entry(of identity: AccessoryIdentity) -> AccessoryEntry? { index.entry(of: identity) }

    /// Returns the record that belongs to a snapshot of the app. The accessory's identity may have
    /// changed since the app received the snapshot.
    func entry(with snapshot: AccessorySnapshot) -> AccessoryEntry? {
        entries.first { $0.snapshot === snapshot }
    }

    func show(_ entry: AccessoryEntry, as identity: AccessoryIdentity) {
        entry.snapshot.show(as: identity)
        entry.isShown = true
        accessoryList.add(entry.snapshot)
        watchersKnownChanged()
    }

    // MARK: Saving

    /// Saves the accessory, which is usable now, and shows it to the app.
    func save(_ peripheral: SystemPeripheral, _ entry: AccessoryEntry) {
        let identity = entry.identity ?? .system(peripheral.identifier)
        let date = Date()
        var remembered =
            entry.remembered
            ?? RememberedAccessory(
                identity: identity,
                systemIdentifier: peripheral.identifier,
                kind: entry.description.kind,
                rememberedSince: date
            )
        remembered.systemIdentifier = peripheral.identifier
        remembered.name = entry.snapshot.deviceName
        remembered.givenName = entry.snapshot.givenName
        remembered.notes = entry.snapshot.notes
        remembered.lastReady = date
        entry.remembered = remembered
        remember(remembered)
        if !entry.isShown { show(entry, as: identity) }
        if let slot = entry.slot { perform(pool.paired(slot)) }
    }

    /// Gives an accessory a name, and saves it. An accessory that is not saved yet gets its name
    /// with `save(_:_:)`.
    func rename(_ snapshot: AccessorySnapshot, to name: String?) {
        let text = name?.trimmingCharacters(in: .whitespacesAndNewlines)
        snapshot.setGivenName(text?.isEmpty == true ? nil : text)
        saveAppData(of: snapshot)
    }

    /// Sets or, with `nil`, removes a note of an accessory, and saves it as `rename(_:to:)` does.
    func setNote(_ snapshot: AccessorySnapshot, _ note: String?, for key: String) {
        snapshot.changeNotes { $0[key] = note }
        saveAppData(of: snapshot)
    }

    private func saveAppData(of snapshot: AccessorySnapshot) {
        execute { driver in
            guard let entry = driver.entry(with: snapshot), var remembered = entry.remembered else {
                return
            }
            remembered.givenName = snapshot.givenName
            remembered.notes = snapshot.notes
            entry.remembered = remembered
            driver.remember(remembered)
        }
    }

    func erase(_ entry: AccessoryEntry) {
        // The store knows the accessory under the identity with which it was remembered. If it was
        // not remembered, a record with its identity belongs to an accessory of another kind.
        guard let identity = entry.remembered?.identity else { return }
        entry.remembered = nil
        forget(identity)
    }

    // MARK: Restoration

    /// Assigns restored or adopted peripherals to their accessories, and keeps the others as
    /// unclaimed.
    func restore(_ peripherals: [SystemPeripheral]) {
        for peripheral in peripherals {
            let identity = identities.identity(of: peripheral.identifier)
            // A peripheral without an accessory is unclaimed. So is a second peripheral of an
            // accessory, because one link to each accessory is enough.
            guard let identity, let entry = entry(of: identity),
                entry.machine.state.peripheral == nil
            else {
                unclaimedPeripherals.append(peripheral)
                continue
            }
            adopt(peripheral, entry)
            let isConnected = system?.linkState(of: peripheral) == .connected
            entry.isLinked = isConnected
            if isConnected { perform(identities.linked(peripheral.identifier, now: now)) }
            let link: Machine.RestoredLink =
                isConnected ? .connected(known: peripheral.knownPaths) : .connecting
            feed(.restored(peripheral, link), to: entry)
        }
    }

    /// Ends the links of the unclaimed peripherals. Bluetooth must be on.
    func cancelUnclaimedPeripherals() {
        // If the store was not read yet, each restored link may belong to a remembered accessory.
        guard !backlog.isUnread else { return }
        for peripheral in unclaimedPeripherals {
            record(.call, "cancelPeripheralConnection", nil, detail: "\(peripheral.identifier)")
            end(peripheral)
        }
        unclaimedPeripherals = []
    }
}
