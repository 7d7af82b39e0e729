// SPDX-License-Identifier: Apache-2.0

import Foundation

// A store can fail because its disk is full, or because the system keeps it locked until the device
// is unlocked for the first time. The driver then repeats the read or write until it succeeds.

/// The reads and writes that the store has yet to complete.
struct StoreBacklog {
    /// The time between two attempts.
    static let pause = Duration.seconds(30)

    /// Whether the store could not be read, so that the remembered accessories are unknown.
    var isUnread = false
    /// The accessories that are yet to be saved.
    var unsaved: [AccessoryIdentity: RememberedAccessory] = [:]
    /// The accessories that are yet to be erased.
    var unerased: Set<AccessoryIdentity> = []

    /// Whether no read or write needs another attempt.
    var isEmpty: Bool { !isUnread && unsaved.isEmpty && unerased.isEmpty }
}

extension CentralDriver {
    func remember(_ accessory: RememberedAccessory) {
        backlog.unerased.remove(accessory.identity)
        backlog.unsaved[accessory.identity] = accessory
        // The accessory must not replace an entry of the store before its data was read.
        if backlog.isUnread { readAgain() }
        do {
            try store.remember(backlog.unsaved[accessory.identity] ?? accessory)
            backlog.unsaved[accessory.identity] = nil
        } catch {
            storeFailed("could not remember \(accessory.identity)", error)
            updateStoreTimer()
        }
    }

    func forget(_ identity: AccessoryIdentity) {
        backlog.unsaved[identity] = nil
        do {
            try store.forget(identity)
            backlog.unerased.remove(identity)
        } catch {
            backlog.unerased.insert(identity)
            storeFailed("could not forget \(identity)", error)
            updateStoreTimer()
        }
    }

    /// Reports data that the store could not read and has preserved.
    func reportSetAside(_ setAside: RememberedAccessories.SetAside) {
        let place = setAside.location.map { ", now at \($0.path)" } ?? ""
        log.warning("The store left out unreadable data: \(setAside.reason)\(place)")
        record(.note, "the store left out unreadable data", nil, detail: setAside.reason + place)
    }

    func storeFailed(_ what: String, _ error: any Error) {
        log.error("The store \(what): \(error)")
        record(.note, "the store \(what)", nil, detail: "\(error)")
    }

    /// Schedules another attempt if the store has failed; otherwise cancels it.
    func updateStoreTimer() {
        storeTimer?.set(to: backlog.isEmpty ? nil : now + StoreBacklog.pause)
    }

    /// Repeats the reads and writes that failed.
    func catchUpWithStore() {
        guard !hasEnded, !backlog.isEmpty else { return }
        if backlog.isUnread { readAgain() }
        let unsaved = backlog.unsaved.values.sorted { $0.rememberedSince < $1.rememberedSince }
        for accessory in unsaved { remember(accessory) }
        for identity in backlog.unerased { forget(identity) }
        updateStoreTimer()
    }

    /// Reads the store as at launch, and restores the links that the system preserved for its
    /// accessories.
    private func readAgain() {
        let former = entries.count
        recallAccessories()
        guard !backlog.isUnread else { return }
        let kept = unclaimedPeripherals
        unclaimedPeripherals = []
        restore(kept)
        let unavailability = Unavailability(availability.value)
        for entry in entries.dropFirst(former) {
            feed(unavailability.map { .unavailable($0) } ?? .available, to: entry)
        }
        if unavailability == nil { cancelUnclaimedPeripherals() }
    }
}
