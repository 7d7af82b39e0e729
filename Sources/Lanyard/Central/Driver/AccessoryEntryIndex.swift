// SPDX-License-Identifier: Apache-2.0

/// An index of a driver's records of accessories by identity and by peripheral, because a search
/// through all records for each discovery and each value takes long with many accessories.
///
/// Used on the driver's queue only. Each record reports its changes.
final class AccessoryEntryIndex {
    /// The records of each identity. While two identities of one accessory are being merged, both
    /// records may have the same identity.
    private var entriesByIdentity: [AccessoryIdentity: [AccessoryEntry]] = [:]
    private var entriesByPeripheral: [SystemPeripheral: [AccessoryEntry]] = [:]

    /// Returns the oldest record with the identity.
    func entry(of identity: AccessoryIdentity) -> AccessoryEntry? {
        Self.oldest(entriesByIdentity[identity])
    }

    /// Returns the oldest record with the peripheral.
    func entry(of peripheral: SystemPeripheral) -> AccessoryEntry? {
        Self.oldest(entriesByPeripheral[peripheral])
    }

    /// Adds a record.
    func insert(_ entry: AccessoryEntry) {
        entry.index = self
        move(entry, from: nil, to: entry.identity)
        move(entry, from: nil, to: entry.peripheral)
    }

    /// Removes a record.
    func remove(_ entry: AccessoryEntry) {
        entry.index = nil
        move(entry, from: entry.identity, to: nil)
        move(entry, from: entry.peripheral, to: nil)
    }

    /// Updates the index after the identity of a record has changed.
    func move(
        _ entry: AccessoryEntry,
        from former: AccessoryIdentity?,
        to identity: AccessoryIdentity?
    ) {
        Self.move(entry, from: former, to: identity, in: &entriesByIdentity)
    }

    /// Updates the index after the peripheral of a record has changed.
    func move(
        _ entry: AccessoryEntry,
        from former: SystemPeripheral?,
        to peripheral: SystemPeripheral?
    ) {
        Self.move(entry, from: former, to: peripheral, in: &entriesByPeripheral)
    }

    private static func oldest(_ entries: [AccessoryEntry]?) -> AccessoryEntry? {
        entries?.min { $0.number < $1.number }
    }

    private static func move<Key: Hashable>(
        _ entry: AccessoryEntry,
        from former: Key?,
        to key: Key?,
        in table: inout [Key: [AccessoryEntry]]
    ) {
        guard former != key else { return }
        if let former {
            table[former]?.removeAll { $0 === entry }
            if table[former]?.isEmpty == true { table[former] = nil }
        }
        if let key { table[key, default: []].append(entry) }
    }
}
