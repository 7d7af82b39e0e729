// SPDX-License-Identifier: Apache-2.0

/// An index of a driver's records of accessories, by identity and by peripheral. With many
/// accessories, a search through all records for each discovery and each value would take long.
///
/// Used on the driver's queue only. Each record reports its changes.
final class AccessoryEntryIndex {
    /// The records of each identity. While two identities of one accessory are being merged, both
    /// records may have the same identity.
    private var entriesByIdentity: [AccessoryIdentity: [AccessoryEntry]] = [:] {
        didSet { latestSnapshots = nil }
    }
    private var latestSnapshots: [AccessoryIdentity: AccessorySnapshot]?
    private var entriesByPeripheral: [SystemPeripheral: [AccessoryEntry]] = [:]
    /// The records with `isPairedHere`, by the name that a device must have. A device that was
    /// chosen for a pairing may have any name.
    private(set) var pairedHere = NameTable<AccessoryEntry>()
    /// The records whose devices are identified by their manufacturer data.
    private(set) var identifiedByData: [AccessoryEntry] = []
    /// The records without an identity, the oldest first.
    private(set) var unidentified: [AccessoryEntry] = []

    /// Returns the oldest record with the identity.
    func entry(of identity: AccessoryIdentity) -> AccessoryEntry? {
        Self.oldest(entriesByIdentity[identity])
    }

    /// Returns all records with the identity.
    func entries(of identity: AccessoryIdentity) -> [AccessoryEntry] {
        entriesByIdentity[identity] ?? []
    }

    /// Returns the oldest record with the peripheral.
    func entry(of peripheral: SystemPeripheral) -> AccessoryEntry? {
        Self.oldest(entriesByPeripheral[peripheral])
    }

    /// The snapshots of the records by identity, for other threads.
    var snapshots: [AccessoryIdentity: AccessorySnapshot] {
        if let latestSnapshots { return latestSnapshots }
        let snapshots = entriesByIdentity.compactMapValues { Self.oldest($0)?.snapshot }
        latestSnapshots = snapshots
        return snapshots
    }

    /// Adds a record.
    func insert(_ entry: AccessoryEntry) {
        entry.index = self
        if entry.identity == nil { addUnidentified(entry) }
        move(entry, from: nil, to: entry.identity)
        move(entry, from: nil, to: entry.peripheral)
        if entry.isPairedHere {
            pairedHere.insert(entry, order: entry.number, requiring: entry.requiredName)
        }
        if case .manufacturerData = entry.description.identity { identifiedByData.append(entry) }
    }

    /// Removes a record.
    func remove(_ entry: AccessoryEntry) {
        entry.index = nil
        unidentified.removeAll { $0 === entry }
        move(entry, from: entry.identity, to: nil)
        move(entry, from: entry.peripheral, to: nil)
        pairedHere.remove(order: entry.number, requiring: entry.requiredName)
        identifiedByData.removeAll { $0 === entry }
    }

    /// Updates the index after the identity of a record has changed.
    func move(
        _ entry: AccessoryEntry,
        from former: AccessoryIdentity?,
        to identity: AccessoryIdentity?
    ) {
        Self.move(entry, from: former, to: identity, in: &entriesByIdentity)
        if former == nil, identity != nil { unidentified.removeAll { $0 === entry } }
        if former != nil, identity == nil, entry.index != nil { addUnidentified(entry) }
    }

    private func addUnidentified(_ entry: AccessoryEntry) {
        let place = unidentified.firstIndex { $0.number > entry.number } ?? unidentified.endIndex
        unidentified.insert(entry, at: place)
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

extension AccessoryEntry {
    /// The name that a discovered device must have to be the accessory; `nil` if it can have any.
    fileprivate var requiredName: String? { target == nil ? description.matcher.name : nil }
}
