// SPDX-License-Identifier: Apache-2.0

import Foundation

// A store that fails, as one whose disk is full, or which the system keeps shut until the device is unlocked
// for the first time: what was to be read or written is tried again until it is.

/// What a store has still to read and to write.
struct StoreBacklog {
    /// After which time it is tried again.
    static let pause = Duration.seconds(30)

    /// Whether it could not be read, so that nobody knows what is remembered.
    var isUnread = false
    /// What is to be remembered.
    var unsaved: [AccessoryIdentity: RememberedAccessory] = [:]
    /// What is to be forgotten.
    var unforgotten: Set<AccessoryIdentity> = []

    /// Whether there is nothing to be tried again.
    var isEmpty: Bool { !isUnread && unsaved.isEmpty && unforgotten.isEmpty }
}

extension CentralDriver {
    func remember(_ accessory: RememberedAccessory) {
        backlog.unforgotten.remove(accessory.identity)
        do {
            try store.remember(accessory)
            backlog.unsaved[accessory.identity] = nil
        } catch {
            backlog.unsaved[accessory.identity] = accessory
            storeFailed("could not remember \(accessory.identity)", error)
            updateStoreTimer()
        }
    }

    func forget(_ identity: AccessoryIdentity) {
        backlog.unsaved[identity] = nil
        do {
            try store.forget(identity)
            backlog.unforgotten.remove(identity)
        } catch {
            backlog.unforgotten.insert(identity)
            storeFailed("could not forget \(identity)", error)
            updateStoreTimer()
        }
    }

    func storeFailed(_ what: String, _ error: any Error) {
        log.error("The store \(what): \(error)")
        record(.note, "the store \(what)", nil, detail: "\(error)")
    }

    /// Has what the store has failed to do tried again, after a while.
    func updateStoreTimer() {
        storeTimer?.set(to: backlog.isEmpty ? nil : now + StoreBacklog.pause)
    }

    /// Tries again what the store has failed to do.
    func catchUpWithStore() {
        guard !hasEnded, !backlog.isEmpty else { return }
        if backlog.isUnread { readAgain() }
        let unsaved = backlog.unsaved.values.sorted { $0.rememberedSince < $1.rememberedSince }
        for accessory in unsaved { remember(accessory) }
        for identity in backlog.unforgotten { forget(identity) }
        updateStoreTimer()
    }

    /// Takes up what is remembered as at launch, and what the system has kept for it.
    private func readAgain() {
        let former = keepers.count
        recallAccessories()
        guard !backlog.isUnread else { return }
        let kept = strays
        strays = []
        restore(kept)
        let unavailability = Unavailability(outlook.value)
        for keeper in keepers.dropFirst(former) {
            feed(unavailability.map { .unavailable($0) } ?? .available, to: keeper)
        }
        if unavailability == nil { cancelStrays() }
    }
}
