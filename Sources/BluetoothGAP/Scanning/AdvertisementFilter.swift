// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A filter that selects the advertisements that one scan requested.
///
/// The order of the conditions matters. The signal strength, which may change, comes first, so that
/// an advertiser that was too weak is new when it comes closer. The filter for duplicates comes
/// second, and the conditions on the data last, because they cost the most.
package struct AdvertisementFilter: Sendable {
    package let filter: ScanFilter
    /// Whether duplicates of earlier advertisements pass.
    package let allowsDuplicates: Bool
    private var duplicates = DuplicateFilter()

    package init(filter: ScanFilter = ScanFilter(), allowsDuplicates: Bool = false) {
        self.filter = filter
        self.allowsDuplicates = allowsDuplicates
    }

    /// Returns whether the scan requested the advertisement.
    package mutating func admits(_ advertisement: Advertisement) -> Bool {
        filter.admitsSignal(advertisement)
            && (allowsDuplicates || duplicates.isNew(advertisement))
            && filter.admitsData(advertisement)
    }
}

/// A filter that distinguishes new data of an advertiser from data that it has sent before.
///
/// The filter is bounded by two generations, like `AdvertisementCache`. It forgets the least recent
/// data first, which then counts as new.
package struct DuplicateFilter: Sendable {
    private struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let setIdentifier: UInt8?
        let digest: UInt64
    }

    /// The number of entries in a generation.
    package static let generationLimit = 2048

    private var young: Set<Key> = []
    private var old: Set<Key> = []

    package init() {}

    /// Returns whether this data of the advertising set is new, and records it.
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
