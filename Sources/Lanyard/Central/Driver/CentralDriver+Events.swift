// SPDX-License-Identifier: Apache-2.0

import Foundation

// Events of the system's central.

extension CentralDriver {
    func receive(_ event: SystemCentralEvent) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch event {
        case .failedToConnect(let peripheral, _): forgetEnding(peripheral)
        case .disconnected(let peripheral, _, isReconnecting: false): forgetEnding(peripheral)
        default: break
        }
        guard !hasEnded else { return }
        switch event {
        case .availabilityChanged(let availability): availabilityChanged(availability)
        case .restored(let peripherals, let scan): restored(peripherals, scan)
        case .discovered(let peripheral, let discovery): discovered(peripheral, discovery)
        case .connected(let peripheral): connected(peripheral)
        case .failedToConnect(let peripheral, let failure): failedToConnect(peripheral, failure)
        case .disconnected(let peripheral, let failure, let isReconnecting):
            disconnected(peripheral, failure, isReconnecting: isReconnecting)
        case .peripheral(let peripheral, let event, let failure):
            receive(event, failure, of: peripheral)
        }
    }

    func availabilityChanged(_ availability: Availability) {
        record(.callback, "centralManagerDidUpdateState", nil, detail: "\(availability)")
        self.availability.show(availability)
        scans.setPossible(availability == .poweredOn)
        if let unavailability = Unavailability(availability) {
            bluetoothBecameUnavailable(unavailability)
        } else {
            catchUpWithStore()
            cancelUnclaimedPeripherals()
            for entry in entries { feed(.available, to: entry) }
        }
        updateScan()
    }

    /// Handles the loss of Bluetooth. All links have ended, and the system does not report their
    /// ends.
    private func bluetoothBecameUnavailable(_ unavailability: Unavailability) {
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

    private func restored(_ peripherals: [SystemPeripheral], _ scan: PlannedScan?) {
        record(.callback, "willRestoreState", nil, detail: "\(peripherals.count) peripherals")
        if let scan { scans.restored(scan) }
        restore(peripherals)
    }

    private func connected(_ peripheral: SystemPeripheral) {
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

    private func failedToConnect(_ peripheral: SystemPeripheral, _ failure: LinkFailure?) {
        guard let entry = entry(of: peripheral) else { return }
        let failure = failure ?? LinkFailure(.attemptFailed, "the connection attempt failed")
        record(.callback, "didFailToConnect", entry, detail: "\(failure)")
        linkEnded(entry)
        feed(.link(peripheral, .failedToConnect(failure)), to: entry)
    }

    private func disconnected(
        _ peripheral: SystemPeripheral,
        _ failure: LinkFailure?,
        isReconnecting: Bool
    ) {
        guard let entry = entry(of: peripheral) else { return }
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

    func entry(of peripheral: SystemPeripheral) -> AccessoryEntry? {
        index.entry(of: peripheral)
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
        entry.writeReadiness = WriteReadiness()
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
