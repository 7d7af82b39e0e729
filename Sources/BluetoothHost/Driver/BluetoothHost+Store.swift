// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// What the core keeps in the host's store. A host that cannot keep anything is still a host.
extension BluetoothHost {
    /// Hands the core what the store has, before the first packet.
    func openStore() {
        guard let store else { return }
        do {
            core.storeOpened(try store.readBonds(), now: executor.now)
        } catch {
            core.storeFailed("the store cannot be read: \(error)")
        }
        drain()
    }

    /// Lets go of the store, which another host may use from now on: whatever comes after is not kept.
    func closeStore() {
        store?.close()
        store = nil
    }

    func recall(_ key: StoreKey, of link: LinkIdentifier) {
        core.recalled(load(key), of: link, now: executor.now)
    }

    func recallDatabase(_ key: StoreKey, of link: LinkIdentifier) {
        core.recalledDatabase(load(key), of: link)
    }

    func load(_ key: StoreKey) -> [UInt8]? {
        do {
            return try store?.load(key)
        } catch {
            core.readFailed(key, StoreFault(error))
            return nil
        }
    }

    func save(_ bytes: [UInt8], as key: StoreKey) {
        do {
            try store?.save(bytes, as: key)
        } catch {
            core.saveFailed(key, StoreFault(error), now: executor.now)
        }
    }

    func remove(_ key: StoreKey) {
        do {
            try store?.remove(key)
        } catch {
            core.storeFailed("\(key): \(error)")
        }
    }

    func setAside(_ key: StoreKey, because reason: String) {
        do {
            try store?.setAside(key, because: reason)
        } catch {
            core.storeFailed("\(key): \(error)")
        }
    }
}
