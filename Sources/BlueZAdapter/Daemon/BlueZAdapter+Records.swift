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
    /// As long as the key is the same, a peer keeps its identifier.
    static func secret(in store: (any HostStore)?) -> HCI.Key128 {
        if let bytes = try? store?.load(secretKey) {
            if let secret = HCI.Key128(bytes) { return secret }
            try? store?.setAside(secretKey, because: "not 16 bytes")
        }
        var random = SystemRandomNumberGenerator()
        let secret = HCI.Key128(using: &random)
        try? store?.save(secret.bytes, as: secretKey)
        return secret
    }

    package nonisolated func record(_ name: String) -> [UInt8]? {
        onThread { adapter in
            guard let key = StoreKey(Self.recordPrefix + name) else { return nil }
            return try? adapter.store?.load(key)
        }
    }

    package nonisolated func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        onThread { adapter in
            guard let store = adapter.store, let key = StoreKey(Self.recordPrefix + name) else {
                return false
            }
            do {
                guard let bytes else {
                    try store.remove(key)
                    return true
                }
                let records = try store.keys()
                    .filter { $0.description.hasPrefix(Self.recordPrefix) }
                guard bytes.count <= Self.recordLengthLimit,
                    records.contains(key) || records.count < Self.recordLimit
                else { return false }
                try store.save(bytes, as: key)
                return true
            } catch {
                return false
            }
        }
    }
}
