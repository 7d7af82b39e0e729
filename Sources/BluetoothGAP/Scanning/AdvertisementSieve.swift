// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Keeps of all sightings those that one scan wants to hear of.
///
/// The order of the questions matters. What may change from one sighting to the next (the signal) is
/// asked first, so that an advertiser that was too weak the first time is new when it comes closer.
/// Then whether the same data was let through before; only then is the data itself looked into.
package struct AdvertisementSieve: Sendable {
    package let filter: ScanFilter
    /// Whether sightings that repeat what was let through before pass too.
    package let allowsDuplicates: Bool
    private var duplicates = DuplicateFilter()

    package init(filter: ScanFilter = ScanFilter(), allowsDuplicates: Bool = false) {
        self.filter = filter
        self.allowsDuplicates = allowsDuplicates
    }

    /// Whether the scan wants to hear of the sighting.
    package mutating func admits(_ advertisement: Advertisement) -> Bool {
        filter.admitsSignal(advertisement)
            && (allowsDuplicates || duplicates.isNew(advertisement))
            && filter.admitsData(advertisement)
    }
}

/// Tells data that an advertiser has sent before from data that is new.
///
/// Bounded like `SightingMemory`: by two generations. What was last heard longest ago is forgotten
/// first, and would be new again.
package struct DuplicateFilter: Sendable {
    private struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let setIdentifier: UInt8?
        let digest: UInt64
    }

    /// How many data a generation holds.
    package static let generationLimit = 2048

    private var young: Set<Key> = []
    private var old: Set<Key> = []

    package init() {}

    /// Whether this advertising set was not yet heard to say this (since it was last forgotten).
    package mutating func isNew(_ advertisement: Advertisement) -> Bool {
        let key = Key(
            address: advertisement.address,
            setIdentifier: advertisement.setIdentifier,
            digest: advertisement.data.digest
        )
        if young.contains(key) { return false }
        if young.count >= Self.generationLimit {
            old = young
            young = []
        }
        young.insert(key)
        return old.remove(key) == nil
    }
}
