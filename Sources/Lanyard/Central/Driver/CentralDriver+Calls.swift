// SPDX-License-Identifier: Apache-2.0

import Foundation

// The calls to the system that the state machines request.

extension CentralDriver {
    // MARK: Peripherals

    func retrieve(_ retrieval: Retrieval, for entry: AccessoryEntry) {
        let peripheral =
            switch retrieval {
            case .remembered: rememberedPeripheral(of: entry)
            case .heldBySystem: heldPeripheral(for: entry)
            }
        if let peripheral { adopt(peripheral, entry) }
        feed(.retrieved(peripheral), to: entry)
    }

    /// Returns the first peripheral that the system finds for the accessory's identifiers. In the
    /// request, the latest identifier comes first.
    private func rememberedPeripheral(of entry: AccessoryEntry) -> SystemPeripheral? {
        guard let identity = entry.identity else { return nil }
        var identifiers = identities.systemIdentifiers(of: identity)
        if let remembered = entry.remembered?.systemIdentifier,
            !identifiers.contains(remembered)
        {
            identifiers.append(remembered)
        }
        record(.call, "retrievePeripherals", entry)
        return system?.peripherals(with: identifiers).first
    }

    /// Returns a peripheral to which the system or another app has a link. For a known accessory,
    /// this is its own peripheral. For an unknown one, this is a peripheral that could be of its
    /// kind. If a device was chosen for the pairing, returns the peripheral of that device instead,
    /// with or without a link, or `nil` if the system does not know it.
    private func heldPeripheral(for entry: AccessoryEntry) -> SystemPeripheral? {
        if let target = entry.target { return chosenPeripheral(target, for: entry) }
        let services = entry.description.services.filter(\.isRequired).map(\.identifier)
        guard !services.isEmpty else { return nil }
        record(.call, "retrieveConnectedPeripherals", entry)
        let held = system?.connectedPeripherals(with: services) ?? []
        if let identity = entry.identity {
            let known = identities.systemIdentifiers(of: identity)
            return held.first { known.contains($0.identifier) }
        }
        guard entry.description.identity == .system else { return nil }
        let fitting = fitting(entry.description)
        return held.first { candidate in
            fitting.contains(candidate.identifier)
                && !entries.contains { $0.peripheral?.identifier == candidate.identifier }
                && self.entry(of: .system(candidate.identifier)) == nil
        }
    }

    /// Returns the peripheral that was chosen for a pairing, if the system knows it. If
    /// manufacturer data identifies the device, only the registry's identifiers for it are tried.
    private func chosenPeripheral(
        _ target: PairingTarget,
        for entry: AccessoryEntry
    ) -> SystemPeripheral? {
        var identifiers = identities.systemIdentifiers(of: target.identity)
        let isSystem = entry.description.identity == .system
        if let identifier = target.identifier, isSystem, !identifiers.contains(identifier) {
            identifiers.append(identifier)
        }
        record(.call, "retrievePeripherals", entry)
        let peripherals = system?.peripherals(with: identifiers) ?? []
        guard let peripheral = peripherals.first else { return nil }
        entry.identity = isSystem ? .system(peripheral.identifier) : target.identity
        return peripheral
    }

    /// Returns the identifiers of the connected peripherals that fit a description: they have all
    /// required services and one of the matcher's services. If the matcher examines more than
    /// services, the result is empty, because a connected peripheral may not advertise the other
    /// data.
    private func fitting(_ description: AccessoryDescription) -> Set<UUID> {
        guard let system, !description.matcher.looksBeyondServices else { return [] }
        let required = description.services.filter(\.isRequired).map { Set([$0.identifier]) }
        let all = required + [description.matcher.services ?? []]
        let found = all.map { services in
            Set(system.connectedPeripherals(with: Array(services)).map(\.identifier))
        }
        return found.dropFirst().reduce(found[0]) { $0.intersection($1) }
    }

    /// Assigns a peripheral to the accessory.
    func adopt(_ peripheral: SystemPeripheral, _ entry: AccessoryEntry) {
        unclaimedPeripherals.removeAll { $0 === peripheral }
        entry.peripheral = peripheral
        entry.snapshot.setDeviceName(peripheral.name)
        let identity = entry.identity ?? .system(peripheral.identifier)
        entry.identity = identity
        perform(identities.adopt(peripheral.identifier, as: identity, now: now))
    }

    // MARK: Links

    func connect(_ peripheral: SystemPeripheral, _ approach: Approach, _ entry: AccessoryEntry) {
        adopt(peripheral, entry)
        var options = ConnectionOptions(
            reconnects: entry.description.systemReconnect == .whereAvailable
        )
        if case .pending(let delay) = approach { options.delay = delay }
        record(.call, "connect", entry, detail: "\(approach)")
        if approach == .direct, let identity = entry.identity { watchersConnect(identity) }
        system?.connect(peripheral, options)
    }

    func cancelConnection(_ peripheral: SystemPeripheral, _ entry: AccessoryEntry) {
        record(.call, "cancelPeripheralConnection", entry)
        if let slot = entry.slot { perform(pool.ending(slot)) }
        end(peripheral)
    }

    /// Ends a link or an attempt to connect, and retains the peripheral until its end is reported.
    func end(_ peripheral: SystemPeripheral) {
        forgetEnding(peripheral)
        endingPeripherals.append(peripheral)
        if endingPeripherals.count > Self.endingLimit { endingPeripherals.removeFirst() }
        system?.cancelConnection(peripheral)
    }

    /// Releases a peripheral that `end` retained.
    func forgetEnding(_ peripheral: SystemPeripheral) {
        endingPeripherals.removeAll { $0 === peripheral }
    }

    // MARK: Discovery

    func discover(
        _ services: Set<BluetoothID>,
        of peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        let wanted = services.sorted { $0.text < $1.text }
        record(.call, "discoverServices", entry, detail: "\(wanted)")
        // The state machine limits the duration, so the request has no deadline.
        entry.requests.add(nextNumber(), .neededServices, deadline: nil)
        system?.send(.discoverServices(wanted), to: peripheral)
    }

    func discover(
        _ characteristics: Set<BluetoothID>,
        of service: BluetoothID,
        on peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        let services = peripheral.services(service)
        let wanted = characteristics.sorted { $0.text < $1.text }
        record(.call, "discoverCharacteristics \(service)", entry, detail: "\(wanted)")
        guard !services.isEmpty else {
            return feed(
                .link(peripheral, .characteristicsDiscovered(of: service, [])),
                to: entry
            )
        }
        entry.awaitedAnswers[service] = services.count
        for service in services {
            system?.send(.discoverCharacteristics(wanted, of: service.reference), to: peripheral)
        }
    }

    func subscribe(
        to path: CharacteristicPath,
        of peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let characteristic = peripheral.characteristic(path) else {
            let failure = LinkFailure(.incomplete, "\(path) is missing")
            return feed(.link(peripheral, .subscriptionChanged(path, .failed(failure))), to: entry)
        }
        guard !characteristic.isNotifying else {
            return feed(.link(peripheral, .subscriptionChanged(path, .confirmed)), to: entry)
        }
        record(.call, "setNotifyValue true \(path.characteristic)", entry)
        system?.send(.setNotifying(true, characteristic.reference), to: peripheral)
    }

    func unsubscribe(
        from path: CharacteristicPath,
        of peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let characteristic = peripheral.characteristic(path), characteristic.isNotifying
        else {
            return feed(.link(peripheral, .subscriptionChanged(path, .ended)), to: entry)
        }
        record(.call, "setNotifyValue false \(path.characteristic)", entry)
        system?.send(.setNotifying(false, characteristic.reference), to: peripheral)
    }

    func probe(
        _ path: CharacteristicPath,
        of peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let characteristic = peripheral.characteristic(path) else {
            let failure = LinkFailure(.incomplete, "\(path) is missing")
            return feed(.link(peripheral, .probed(failure)), to: entry)
        }
        record(.call, "readValue \(path.characteristic)", entry, detail: "to probe")
        // The state machine limits the duration, so the request has no deadline.
        let reference = characteristic.reference
        entry.requests.add(nextNumber(), .probe(path), of: reference, deadline: nil)
        system?.send(.read(characteristic.reference), to: peripheral)
    }
}
