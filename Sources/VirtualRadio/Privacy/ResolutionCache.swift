// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A cache of the results of address resolution, including failures.
///
/// The resolution of an address takes one encryption for each entry of the list, and an advertiser
/// shows the same address many times a second. So most addresses are resolved from this cache.
struct ResolutionCache: Sendable {
    /// The maximum number of addresses in each of two generations. When the younger generation is
    /// full, the older one is discarded.
    static let generationLimit = 2_048

    /// The cached index of an address that no entry resolves.
    private static let noEntry = -1

    private var young: [UInt64: Int] = [:]
    private var old: [UInt64: Int] = [:]

    /// Returns the index of the entry that resolves the address. Calls `search` if the address is
    /// not cached.
    mutating func index(of address: DeviceAddress, search: () -> Int?) -> Int? {
        let key = address.value
        if let index = young[key] { return index == Self.noEntry ? nil : index }
        let index = old[key] ?? search() ?? Self.noEntry
        remember(index, for: key)
        return index == Self.noEntry ? nil : index
    }

    /// Empties the cache.
    mutating func removeAll() {
        young.removeAll(keepingCapacity: true)
        old.removeAll(keepingCapacity: true)
    }

    private mutating func remember(_ index: Int, for key: UInt64) {
        if young.count >= Self.generationLimit {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = index
    }
}
