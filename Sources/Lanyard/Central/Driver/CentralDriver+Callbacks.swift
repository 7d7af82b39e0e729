// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the central manager.

extension CentralDriver: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard !hasEnded else { return }
        let availability = Availability(central.state)
        record(.callback, "centralManagerDidUpdateState", nil, detail: "\(availability)")
        self.availability.show(availability)
        scans.setPossible(availability == .poweredOn)
        if let unavailability = Unavailability(availability) {
            bluetoothWent(unavailability)
        } else {
            catchUpWithStore()
            cancelUnclaimedPeripherals()
            for entry in entries { feed(.available, to: entry) }
        }
        updateScan()
    }

    /// All links are gone, and Core Bluetooth does not report their ends.
    private func bluetoothWent(_ unavailability: Unavailability) {
        for watch in watches.values { watch.setReportsEveryPacket(false, now: now) }
        // The pool comes first: otherwise each returned slot would be granted to the next waiting
        // accessory.
        for entry in entries { entry.slot = nil }
        endingPeripherals = []
        perform(pool.reset())
        for entry in entries {
            linkEnded(entry)
            feed(.unavailable(unavailability), to: entry)
        }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        guard !hasEnded else { return }
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        record(.callback, "willRestoreState", nil, detail: "\(peripherals.count) peripherals")
        if let scan = PlannedScan(restored: dict) { scans.restored(scan) }
        restore(peripherals)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard !hasEnded else { return }
        discovered(peripheral, Discovery(peripheral, advertisementData, rssi: RSSI))
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard !hasEnded else { return }
        guard let entry = entry(of: peripheral) else {
            return end(peripheral)
        }
        record(.callback, "didConnect", entry)
        linkBegan(entry)
        feed(.link(peripheral, .connected(known: peripheral.knownPaths)), to: entry)
        // A link that was made after its attempt was canceled is not needed.
        guard !entry.machine.state.isAbout(peripheral) else { return }
        record(.call, "cancelPeripheralConnection", entry, detail: "the connection came too late")
        end(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        forgetEnding(peripheral)
        guard !hasEnded, let entry = entry(of: peripheral) else { return }
        let failure = error.map { LinkFailure($0) } ?? LinkFailure(.attemptFailed, "It failed")
        record(.callback, "didFailToConnect", entry, detail: "\(failure)")
        linkEnded(entry)
        feed(.link(peripheral, .failedToConnect(failure)), to: entry)
    }

    // Only the newer of the two methods is implemented: a delegate with the older one does not
    // receive peripherals that the system reconnects. Systems that know only the older one call it
    // through the default implementation.

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        if !isReconnecting { forgetEnding(peripheral) }
        guard !hasEnded, let entry = entry(of: peripheral) else { return }
        let failure = error.map { LinkFailure($0) }
        let detail = failure.map { "\($0)" } ?? "as requested"
        record(
            .callback,
            "didDisconnect",
            entry,
            detail: isReconnecting ? "\(detail); the system reconnects" : detail
        )
        linkEnded(entry)
        feed(
            .link(peripheral, .disconnected(failure, isReconnecting: isReconnecting)),
            to: entry
        )
    }

    func entry(of peripheral: CBPeripheral) -> AccessoryEntry? {
        entries.first { $0.peripheral === peripheral }
    }

    // MARK: Consequences of a link's beginning and end

    private func linkBegan(_ entry: AccessoryEntry) {
        entry.isLinked = true
        if let slot = entry.slot { perform(pool.linkMade(slot, now: now)) }
        guard let identity = entry.identity else { return }
        watchersConnected(identity)
        guard let identifier = entry.peripheral?.identifier else { return }
        perform(identities.linked(identifier, now: now))
    }

    private func linkEnded(_ entry: AccessoryEntry) {
        entry.isLinked = false
        entry.awaitedAnswers = [:]
        entry.snapshot.setWriteLengths([:])
        entry.roomWatch = RoomWatch()
        failRequests(of: entry, .linkEnded)
        guard let identity = entry.identity else { return }
        watchersDisconnected(identity)
        guard let identifier = entry.peripheral?.identifier else { return }
        identities.unlinked(identifier)
    }
}

extension Unavailability {
    /// Converts an availability; `nil` if Bluetooth is available.
    init?(_ availability: Availability) {
        switch availability {
        case .unknown: self = .unknown
        case .resetting: self = .resetting
        case .unsupported: self = .unsupported
        case .unauthorized: self = .unauthorized
        case .poweredOff: self = .poweredOff
        case .poweredOn: return nil
        }
    }
}

extension AccessoryMachine.State {
    /// Returns whether the state concerns a link to this peripheral, including the end of that
    /// link.
    fileprivate func isAbout(_ peripheral: Peripheral) -> Bool {
        switch self {
        case .connecting(_, .waitingForSlot), .connecting(_, .backingOff): false
        default: self.peripheral == peripheral
        }
    }
}
