// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// The host's access to its store. A host whose store fails continues to work.
extension BluetoothHost {
    /// Gives the core the bonds in the store, before the first packet.
    func openStore() {
        guard let store else { return }
        (store as? SharedStore.Member)?.join(self)
        do {
            core.storeOpened(try store.readBonds(), now: executor.now)
        } catch {
            core.listingFailed(StoreFault(error))
        }
        drain()
    }

    /// Closes the store, which another host may use from now on.
    func closeStore() {
        store?.close()
        store = nil
    }

    func recall(_ key: StoreKey, of link: LinkIdentifier) {
        core.recalled(load(key), of: link, now: executor.now)
    }

    func recallDatabase(_ key: StoreKey, of link: LinkIdentifier) {
        core.recalledDatabase(load(key), of: link, now: executor.now)
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
        guard let store else { return }
        if let refusal = core.refusal(ofWriting: key) {
            return core.saveFailed(key, refusal, now: executor.now)
        }
        do {
            try store.save(bytes, as: key)
        } catch {
            return core.saveFailed(key, StoreFault(error), now: executor.now)
        }
        core.saved(key, now: executor.now)
    }

    func remove(_ key: StoreKey) {
        do {
            try store?.remove(key)
        } catch {
            core.storeFailed("\(key): \(error)")
        }
    }

    func setAside(_ key: StoreKey, because reason: String) {
        guard let store else { return }
        do {
            // The host does not know the entries of a store that could not be listed.
            let isPresent = try store.keys().contains(key)
            if isPresent { try store.setAside(key, because: reason) }
            core.wasSetAside(key, because: isPresent ? reason : nil)
        } catch {
            core.setAsideFailed(key, StoreFault(error))
        }
    }
}
