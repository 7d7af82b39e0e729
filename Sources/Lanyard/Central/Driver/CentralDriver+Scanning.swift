// SPDX-License-Identifier: Apache-2.0

import Foundation

// One scan that serves all requests, and the handling of its discoveries.

extension CentralDriver {
    /// The maximum number of devices whose first discovery is recorded.
    private static let reportedLimit = 10_000

    func setScanning(_ isScanning: Bool, _ entry: AccessoryEntry) {
        // A new search may find a different device.
        if isScanning, !entry.isShown { entry.identity = nil }
        entry.isScannedFor = isScanning
        planScan(entry)
    }

    /// Updates the scan request of an accessory. The search by the state machine (`isScannedFor`)
    /// and the scan for rediscovery (`isScannedForRediscovery`) share one request, which is removed
    /// when both have ended.
    private func planScan(_ entry: AccessoryEntry) {
        let isRequested = entry.isScannedFor || entry.isScannedForRediscovery
        // Duplicates are requested in two cases: the manufacturer data that identifies the device
        // may arrive in a later packet than the first, and a later packet may match although the
        // first did not, for example because a device has come nearer.
        let scan = PlannedScan(
            services: entry.description.matcher.services,
            reportsDuplicates: entry.description.identity != .system
                || entry.description.matcher.looksBeyondServices
        )
        if !scans.set(isRequested ? scan : nil, for: entry.number) {
            record(.note, "too many scans are requested", entry)
        }
    }

    /// Starts, changes or stops the system's scan, so that it serves all requests.
    func updateScan() {
        let searched = pool.searched
        let candidates =
            rediscoveries + searched.flatMap(index.entries) + index.identifiedByData
        for entry in candidates.sorted(by: { $0.number < $1.number }) {
            let isSearchedFor = entry.identity.map(searched.contains) ?? false
            let isScannedForRediscovery = isSearchedFor || entry.needsRediscovery
            guard entry.isScannedForRediscovery != isScannedForRediscovery else { continue }
            entry.isScannedForRediscovery = isScannedForRediscovery
            if isScannedForRediscovery {
                rediscoveries.append(entry)
            } else {
                rediscoveries.removeAll { $0 === entry }
            }
            planScan(entry)
        }
        guard let action = scans.next() else { return }
        switch action {
        case .scan(let planned): scan(planned)
        case .stop:
            record(.call, "stopScan", nil)
            system?.stopScan()
        }
        let reportsEveryPacket = scans.running?.reportsDuplicates ?? false
        for watch in watches.values { watch.setReportsEveryPacket(reportsEveryPacket, now: now) }
    }

    private func scan(_ scan: PlannedScan) {
        let services = scan.services?.sorted { $0.text < $1.text }
        let detail = services.map { "\($0)" } ?? "everything"
        record(.call, "scanForPeripherals", nil, detail: detail)
        system?.scan(scan)
    }

    func discovered(_ peripheral: SystemPeripheral, _ discovery: Discovery) {
        let isNew =
            reported.count < Self.reportedLimit && reported.insert(discovery.identifier).inserted
        if isNew { record(.callback, "didDiscover", nil, detail: discovery.inBrief) }
        let fitting = descriptions(matching: discovery)
        if !watches.isEmpty {
            let identity = recognize(discovery, fitting)
            // A device can advertise during its link, which may be older than the subscription.
            let isLinked = entry(of: identity)?.isLinked ?? false
            for number in watches.keys.sorted() {
                watches[number]?.received(discovery, as: identity, now: now)
                if isLinked { watches[number]?.connected(identity, now: now) }
            }
        }
        for description in fitting { found(peripheral, discovery, description) }
        updateScan()
    }

    /// Returns the descriptions that match a discovery, at most one of each kind: a description
    /// that an accessory was paired with precedes one that the central was created with.
    private func descriptions(matching discovery: Discovery) -> [AccessoryDescription] {
        // Accessories that are being searched for precede those that were found.
        var sought: [AccessoryDescription] = []
        var found: [AccessoryDescription] = []
        for entry in index.pairedHere.elements(for: discovery.name) where fits(discovery, entry) {
            if entry.identity == nil {
                sought.append(entry.description)
            } else {
                found.append(entry.description)
            }
        }
        for index in descriptionIndices.elements(for: discovery.name)
        where descriptions[index].matcher.matches(discovery) {
            found.append(descriptions[index])
        }
        var kinds: Set<String> = []
        return (sought + found).filter { kinds.insert($0.kind).inserted }
    }

    /// Returns whether a discovered device can be the accessory of a record: the chosen device, or
    /// any that matches the description.
    private func fits(_ discovery: Discovery, _ entry: AccessoryEntry) -> Bool {
        guard let target = entry.target else { return entry.description.matcher.matches(discovery) }
        return target.identifier == discovery.identifier
            || target.identity == identities.identity(of: discovery.identifier)
            || target.identity == AccessoryIdentity(of: discovery, by: entry.description.identity)
    }

    /// Returns the identity of a discovered device, as far as the descriptions that it matches
    /// reveal it.
    private func recognize(
        _ discovery: Discovery,
        _ fitting: [AccessoryDescription]
    ) -> AccessoryIdentity {
        for description in fitting where !isAccessoryOfOtherKind(discovery, than: description) {
            perform(identities.identify(discovery, by: description.identity, now: now).actions)
        }
        return identities.identity(of: discovery.identifier) ?? .system(discovery.identifier)
    }

    /// Handles a discovery of a device that may be an accessory of this kind.
    private func found(
        _ peripheral: SystemPeripheral,
        _ discovery: Discovery,
        _ description: AccessoryDescription
    ) {
        guard !isAccessoryOfOtherKind(discovery, than: description) else { return }
        let (identity, actions) = identities.identify(discovery, by: description.identity, now: now)
        perform(actions)
        if let entry = entry(of: identity) {
            entry.snapshot.setDeviceName(discovery.name)
            return foundAgain(peripheral, discovery, entry)
        }
        guard discovery.isConnectable, description.identifiesAccessories(by: identity) else {
            return
        }
        let looking = index.unidentified.first {
            $0.description.kind == description.kind && $0.snapshot.change.state == .scanning
                && fits(discovery, $0)
        }
        guard let looking else { return }
        looking.identity = identity
        looking.snapshot.setDeviceName(discovery.name)
        record(.callback, "didDiscover", looking, detail: discovery.inBrief)
        adopt(peripheral, looking)
        feed(.found(peripheral, rssi: discovery.rssi), to: looking)
    }

    /// Returns whether the device belongs to a known accessory of another kind. The descriptions of
    /// two kinds may identify accessories in different ways.
    private func isAccessoryOfOtherKind(
        _ discovery: Discovery,
        than description: AccessoryDescription
    ) -> Bool {
        let owner = identities.identity(of: discovery.identifier).flatMap { entry(of: $0) }
        guard let owner, owner.isShown else { return false }
        return owner.description.kind != description.kind
    }

    /// Handles a discovery of a known accessory, perhaps as a different peripheral.
    private func foundAgain(
        _ peripheral: SystemPeripheral,
        _ discovery: Discovery,
        _ entry: AccessoryEntry
    ) {
        guard !entry.isLinked else { return }
        slotRequesterDiscovered(entry)
        if entry.peripheral === peripheral {
            feed(.link(peripheral, .seen(rssi: discovery.rssi)), to: entry)
        }
        guard entry.peripheral !== peripheral || entry.snapshot.change.state != .connecting else {
            return
        }
        feed(.found(peripheral, rssi: discovery.rssi), to: entry)
        // Adopt the peripheral only if the state machine uses it now. Otherwise the record must
        // keep receiving the callbacks of the former peripheral.
        if entry.machine.state.peripheral === peripheral { adopt(peripheral, entry) }
    }

    // MARK: Identity

    func perform(_ actions: [IdentityAction]) {
        for action in actions {
            switch action {
            case .merged(let one, let other): merge(one, into: other)
            case .close(let identifier, _): closeDuplicate(identifier)
            }
        }
    }

    /// Merges an identity into another one, because both are the same accessory. If both have a
    /// record, the accessory of the first is forgotten.
    private func merge(_ one: AccessoryIdentity, into other: AccessoryIdentity) {
        pool.merge(one, into: other)
        for watch in watches.values { watch.merge(one, into: other) }
        defer { watchersKnownChanged() }
        guard let entry = entry(of: one) else { return }
        guard self.entry(of: other) != nil else {
            entry.identity = other
            return
        }
        record(.note, "is the same accessory as another", entry, detail: "\(other)")
        feed(.command(.forget), to: entry)
    }

    /// Ends one of two links to the same accessory.
    private func closeDuplicate(_ identifier: UUID) {
        for peripheral in system?.peripherals(with: [identifier]) ?? [] {
            record(.call, "cancelPeripheralConnection", nil, detail: "a duplicate")
            end(peripheral)
        }
    }
}

extension AccessoryEntry {
    /// Whether the scan must rediscover the accessory although the library does not search for it:
    /// a connection request is pending, or the system no longer knows the accessory. If the device
    /// has changed its address, the system does not recognize it. Only its manufacturer data, in a
    /// new discovery, identifies it.
    fileprivate var needsRediscovery: Bool {
        guard case .manufacturerData = description.identity, isShown else { return false }
        switch snapshot.change.state {
        case .outOfRange: return true
        case .idle: return snapshot.change.reason == .resting(.unknownToSystem)
        default: return false
        }
    }
}

extension AccessoryDescription {
    /// Returns whether accessories with this description have identities of this kind.
    fileprivate func identifiesAccessories(by identity: AccessoryIdentity) -> Bool {
        switch (self.identity, identity) {
        case (.manufacturerData, .manufacturer), (.system, .system): true
        default: false
        }
    }
}

extension Discovery {
    /// A short text for records.
    fileprivate var inBrief: String {
        "\(name ?? identifier.uuidString), \(rssi.map { "\($0) dBm" } ?? "no signal strength")"
    }
}
