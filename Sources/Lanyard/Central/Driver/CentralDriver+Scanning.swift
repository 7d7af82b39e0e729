// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// One scan for all, and what is done with what it finds.

extension CentralDriver {
    /// How many devices are told apart in records.
    private static let reportedLimit = 10_000

    func setScanning(_ isScanning: Bool, _ keeper: AccessoryKeeper) {
        // Who is looked for anew may be another one than before.
        if isScanning, !keeper.isShown { keeper.identity = nil }
        keeper.isScannedFor = isScanning
        wishForScan(keeper)
    }

    /// A search and a look-out are one wish: the end of one is not that of the other.
    private func wishForScan(_ keeper: AccessoryKeeper) {
        let isWanted = keeper.isScannedFor || keeper.isLookedOutFor
        // By what it is told apart may stand in a later packet than the first, and who is too far away
        // may come nearer.
        let wish = ScanWish(
            services: keeper.description.matcher.services,
            reportsDuplicates: keeper.description.identity != .system
                || keeper.description.matcher.looksBeyondServices
        )
        if !scans.set(isWanted ? wish : nil, for: keeper.number) {
            record(.note, "too many scans at a time", keeper)
        }
    }

    /// Has the one scan be as it should.
    func updateScan() {
        for keeper in keepers where keeper.isLookedOutFor != keeper.wantsLookout {
            keeper.isLookedOutFor = keeper.wantsLookout
            wishForScan(keeper)
        }
        guard let action = scans.next() else { return }
        switch action {
        case .scan(let wish): scan(wish)
        case .stop:
            record(.call, "stopScan", nil)
            manager?.stopScan()
        }
        let isHearing = scans.running?.reportsDuplicates ?? false
        for watch in watches.values { watch.setHearing(isHearing, now: now) }
    }

    private func scan(_ wish: ScanWish) {
        let services = wish.services?.sorted { $0.text < $1.text }
        let detail = services.map { "\($0)" } ?? "everything"
        record(.call, "scanForPeripherals", nil, detail: detail)
        manager?.scanForPeripherals(
            withServices: services?.map(\.cbuuid),
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: wish.reportsDuplicates]
        )
    }

    /// A device advertises.
    func discovered(_ peripheral: CBPeripheral, _ sighting: Sighting) {
        let isNew =
            reported.count < Self.reportedLimit && reported.insert(sighting.identifier).inserted
        if isNew { record(.callback, "didDiscover", nil, detail: sighting.inBrief) }
        let known = identities.identity(of: sighting.identifier)
        for number in watches.keys.sorted() {
            let identity = known ?? .system(sighting.identifier)
            watches[number]?.heard(sighting, as: identity, now: now)
        }
        for description in descriptions where description.matcher.matches(sighting) {
            found(peripheral, sighting, description)
        }
        updateScan()
    }

    /// A device could be an accessory of a kind.
    private func found(
        _ peripheral: CBPeripheral,
        _ sighting: Sighting,
        _ description: AccessoryDescription
    ) {
        guard !isAccessoryOfOtherKind(sighting, than: description) else { return }
        let (identity, actions) = identities.identify(sighting, by: description.identity, now: now)
        perform(actions)
        if let keeper = keeper(of: identity) {
            keeper.mirror.setName(sighting.name)
            return foundAgain(peripheral, sighting, keeper)
        }
        guard sighting.isConnectable, description.canTellApart(by: identity) else { return }
        let looking = keepers.first {
            $0.identity == nil && $0.description.kind == description.kind
                && $0.mirror.change.state == .scanning
        }
        guard let looking else { return }
        looking.identity = identity
        looking.mirror.setName(sighting.name)
        record(.callback, "didDiscover", looking, detail: sighting.inBrief)
        adopt(peripheral, looking)
        feed(.found(peripheral, rssi: sighting.rssi), to: looking)
    }

    /// Whether it is somebody's already, who tells it apart in another way.
    private func isAccessoryOfOtherKind(
        _ sighting: Sighting,
        than description: AccessoryDescription
    ) -> Bool {
        let owner = identities.identity(of: sighting.identifier).flatMap { keeper(of: $0) }
        guard let owner, owner.isShown else { return false }
        return owner.description.kind != description.kind
    }

    /// An accessory that is known was seen, perhaps as another peripheral than before.
    private func foundAgain(
        _ peripheral: CBPeripheral,
        _ sighting: Sighting,
        _ keeper: AccessoryKeeper
    ) {
        guard !keeper.isLinked else { return }
        if keeper.peripheral === peripheral {
            feed(.link(peripheral, .seen(rssi: sighting.rssi)), to: keeper)
        }
        guard keeper.peripheral !== peripheral || keeper.mirror.change.state != .connecting else {
            return
        }
        feed(.found(peripheral, rssi: sighting.rssi), to: keeper)
        // Where it goes on with another one, callbacks of that are its own.
        if keeper.machine.state.peripheral === peripheral { adopt(peripheral, keeper) }
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

    /// Two that were taken for different accessories are one: that which was known first stays.
    private func merge(_ one: AccessoryIdentity, into other: AccessoryIdentity) {
        pool.merge(one, into: other)
        guard let keeper = keeper(of: one) else { return }
        guard self.keeper(of: other) != nil else {
            keeper.identity = other
            return
        }
        record(.note, "is the same as another", keeper, detail: "\(other)")
        feed(.wished(.forget), to: keeper)
    }

    /// Two links to one accessory: one is enough.
    private func closeDuplicate(_ identifier: UUID) {
        for peripheral in manager?.retrievePeripherals(withIdentifiers: [identifier]) ?? [] {
            record(.call, "cancelPeripheralConnection", nil, detail: "a duplicate")
            manager?.cancelPeripheralConnection(peripheral)
        }
    }
}

extension AccessoryKeeper {
    /// Whether it has to be looked out for while it is waited for: its address changes, so that the system
    /// would not know it again.
    fileprivate var wantsLookout: Bool {
        guard case .manufacturerData = description.identity, isShown else { return false }
        switch mirror.change.state {
        case .outOfRange: return true
        case .idle: return mirror.change.reason == .resting(.unknownToSystem)
        default: return false
        }
    }
}

extension AccessoryDescription {
    /// Whether an identity is of the sort by which these accessories are told apart.
    fileprivate func canTellApart(by identity: AccessoryIdentity) -> Bool {
        switch (self.identity, identity) {
        case (.manufacturerData, .manufacturer), (.system, .system): true
        default: false
        }
    }
}

extension ScanWish {
    /// What the system scans for since an earlier process; nil if it does not.
    init?(restored state: [String: Any]) {
        let services = state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        let options = state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
        guard services != nil || options != nil else { return nil }
        let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
        self.init(
            services: services.map { Set($0.map { BluetoothID($0) }) },
            reportsDuplicates: duplicates?.boolValue ?? false
        )
    }
}

extension Sighting {
    /// What Core Bluetooth has found.
    init(_ peripheral: CBPeripheral, _ data: [String: Any], rssi: NSNumber) {
        let services =
            (data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [])
            + (data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? [])
        let serviceData = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        self.init(
            identifier: peripheral.identifier,
            name: data[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name,
            services: services.map { BluetoothID($0) },
            serviceData: Dictionary(
                serviceData.map { (BluetoothID($0.key), $0.value) },
                uniquingKeysWith: { first, _ in first }
            ),
            manufacturerData: data[CBAdvertisementDataManufacturerDataKey] as? Data,
            rssi: rssi.intValue == Self.unknownSignal ? nil : rssi.intValue,
            transmitPower: (data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue,
            isConnectable: (data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? true
        )
    }

    /// What Core Bluetooth says where it does not know the signal strength.
    private static let unknownSignal = 127

    /// For a record.
    fileprivate var inBrief: String {
        "\(name ?? identifier.uuidString), \(rssi.map { "\($0) dBm" } ?? "no signal strength")"
    }
}
