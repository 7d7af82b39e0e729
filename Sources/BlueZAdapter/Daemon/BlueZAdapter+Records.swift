// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothPort
import HCITransports

// The store: the key that encrypts addresses into peer identifiers, and the records of the clients.
extension BlueZAdapter {
    /// The maximum length of a record in bytes.
    static let recordLengthLimit = 1_000_000
    /// The maximum number of records.
    static let recordLimit = 64

    private static let secretKey = StoreKey(name: "secret")
    private static let recordPrefix = "application-"

    /// Returns the key that encrypts addresses into peer identifiers, or creates and saves a key.
    /// As long as the key is the same, a peer keeps its identifier. If the stored key cannot be
    /// read, it stays in the store, and the new key is used until the process ends.
    static func secret(in store: (any HostStore)?) -> HCI.Key128 {
        var random = SystemRandomNumberGenerator()
        let new = HCI.Key128(using: &random)
        do {
            if let bytes = try store?.load(secretKey) {
                if let secret = HCI.Key128(bytes) { return secret }
                try store?.setAside(secretKey, because: "not 16 bytes")
            }
            try store?.save(new.bytes, as: secretKey)
        } catch {
            // The key is not stored, so the next process has another one.
        }
        return new
    }

    package nonisolated func record(_ name: String) -> [UInt8]? {
        onThread { adapter in
            guard let key = StoreKey(Self.recordPrefix + name),
                !adapter.unreadableRecords.contains(key)
            else { return nil }
            do {
                return try adapter.store?.load(key)
            } catch {
                adapter.unreadableRecords.insert(key)
                return nil
            }
        }
    }

    package nonisolated func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        onThread { adapter in
            guard let store = adapter.store, let key = StoreKey(Self.recordPrefix + name) else {
                return false
            }
            do {
                guard let bytes else {
                    if !adapter.unreadableRecords.contains(key) { try store.remove(key) }
                    return true
                }
                let records = try store.keys()
                    .filter { $0.description.hasPrefix(Self.recordPrefix) }
                guard bytes.count <= Self.recordLengthLimit,
                    records.contains(key) || records.count < Self.recordLimit
                else { return false }
                if adapter.unreadableRecords.contains(key) {
                    try store.setAside(key, because: "replaced by another record")
                    adapter.unreadableRecords.remove(key)
                }
                try store.save(bytes, as: key)
                return true
            } catch {
                return false
            }
        }
    }
}
