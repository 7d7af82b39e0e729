// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// The calls to Core Bluetooth that the state machines request.

extension CentralDriver {
    // MARK: Peripherals

    func retrieve(_ retrieval: Retrieval, for keeper: AccessoryKeeper) {
        let peripheral =
            switch retrieval {
            case .remembered: rememberedPeripheral(of: keeper)
            case .heldBySystem: heldPeripheral(for: keeper)
            }
        if let peripheral { adopt(peripheral, keeper) }
        feed(.retrieved(peripheral), to: keeper)
    }

    /// Returns the peripheral that the system finds by the remembered identifiers, latest first.
    private func rememberedPeripheral(of keeper: AccessoryKeeper) -> CBPeripheral? {
        guard let identity = keeper.identity else { return nil }
        var identifiers = identities.systemIdentifiers(of: identity)
        if let remembered = keeper.remembered?.systemIdentifier,
            !identifiers.contains(remembered)
        {
            identifiers.append(remembered)
        }
        record(.call, "retrievePeripherals", keeper)
        return manager?.retrievePeripherals(withIdentifiers: identifiers).first
    }

    /// Returns a peripheral to which the system or another app has a link: the accessory if
    /// it is known, otherwise one that could be of its kind.
    private func heldPeripheral(for keeper: AccessoryKeeper) -> CBPeripheral? {
        let services = keeper.description.services.filter(\.isRequired).map(\.identifier.cbuuid)
        guard !services.isEmpty else { return nil }
        record(.call, "retrieveConnectedPeripherals", keeper)
        let held = manager?.retrieveConnectedPeripherals(withServices: services) ?? []
        if let identity = keeper.identity {
            let known = identities.systemIdentifiers(of: identity)
            return held.first { known.contains($0.identifier) }
        }
        guard keeper.description.identity == .system else { return nil }
        let fitting = fitting(keeper.description)
        return held.first { candidate in
            fitting.contains(candidate.identifier)
                && !keepers.contains { $0.peripheral?.identifier == candidate.identifier }
                && self.keeper(of: .system(candidate.identifier)) == nil
        }
    }

    /// Returns the identifiers of the connected peripherals that fit a description: they have all
    /// required services and one of the matcher's services. If the matcher examines more than
    /// services, none fits, because a connected peripheral does not advertise the rest.
    private func fitting(_ description: AccessoryDescription) -> Set<UUID> {
        guard let manager, !description.matcher.looksBeyondServices else { return [] }
        let required = description.services.filter(\.isRequired).map { Set([$0.identifier]) }
        let all = required + [description.matcher.services ?? []]
        let found = all.map { services in
            let held = manager.retrieveConnectedPeripherals(withServices: services.map(\.cbuuid))
            return Set(held.map(\.identifier))
        }
        return found.dropFirst().reduce(found[0]) { $0.intersection($1) }
    }

    /// Assigns a peripheral to the accessory.
    func adopt(_ peripheral: CBPeripheral, _ keeper: AccessoryKeeper) {
        peripheral.delegate = self
        keeper.peripheral = peripheral
        keeper.mirror.setName(peripheral.name)
        let identity = keeper.identity ?? .system(peripheral.identifier)
        keeper.identity = identity
        perform(identities.adopt(peripheral.identifier, as: identity, now: now))
    }

    // MARK: Links

    func connect(_ peripheral: CBPeripheral, _ approach: Approach, _ keeper: AccessoryKeeper) {
        adopt(peripheral, keeper)
        var options: [String: Any] = [:]
        if keeper.description.systemReconnect == .whereAvailable {
            options[CBConnectPeripheralOptionEnableAutoReconnect] = true
        }
        if case .standing(let delay) = approach, delay > .zero {
            // Core Bluetooth takes whole seconds; rounding up avoids an early attempt.
            options[CBConnectPeripheralOptionStartDelayKey] = Int(
                (delay / .seconds(1)).rounded(.up)
            )
        }
        record(.call, "connect", keeper, detail: "\(approach)")
        if approach == .dial, let identity = keeper.identity { watchersDial(identity) }
        manager?.connect(peripheral, options: options)
    }

    func cancelConnection(_ peripheral: CBPeripheral, _ keeper: AccessoryKeeper) {
        record(.call, "cancelPeripheralConnection", keeper)
        if let slot = keeper.slot { perform(pool.ending(slot)) }
        end(peripheral)
    }

    /// Ends a link or an attempt to connect, and retains the peripheral until its end is reported.
    func end(_ peripheral: CBPeripheral) {
        forgetEnding(peripheral)
        endingPeripherals.append(peripheral)
        if endingPeripherals.count > Self.endingLimit { endingPeripherals.removeFirst() }
        manager?.cancelPeripheralConnection(peripheral)
    }

    /// Releases a peripheral whose disconnection was reported.
    func forgetEnding(_ peripheral: CBPeripheral) {
        endingPeripherals.removeAll { $0 === peripheral }
    }

    // MARK: Discovery

    func discover(
        _ services: Set<BluetoothID>,
        of peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        let wanted = services.sorted { $0.text < $1.text }
        record(.call, "discoverServices", keeper, detail: "\(wanted)")
        peripheral.discoverServices(wanted.map(\.cbuuid))
    }

    func discover(
        _ characteristics: Set<BluetoothID>,
        of service: BluetoothID,
        on peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        let services = peripheral.services(service)
        let wanted = characteristics.sorted { $0.text < $1.text }
        record(.call, "discoverCharacteristics \(service)", keeper, detail: "\(wanted)")
        guard !services.isEmpty else {
            return feed(
                .link(peripheral, .characteristicsDiscovered(of: service, [])),
                to: keeper
            )
        }
        keeper.awaitedAnswers[service] = services.count
        for service in services {
            peripheral.discoverCharacteristics(wanted.map(\.cbuuid), for: service)
        }
    }

    func subscribe(
        to path: CharacteristicPath,
        of peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        guard let characteristic = peripheral.characteristic(path) else {
            let failure = LinkFailure(.incomplete, "\(path) is not there")
            return feed(.link(peripheral, .subscriptionChanged(path, .failed(failure))), to: keeper)
        }
        guard !characteristic.isNotifying else {
            return feed(.link(peripheral, .subscriptionChanged(path, .confirmed)), to: keeper)
        }
        record(.call, "setNotifyValue true \(path.characteristic)", keeper)
        peripheral.setNotifyValue(true, for: characteristic)
    }

    func unsubscribe(
        from path: CharacteristicPath,
        of peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        guard let characteristic = peripheral.characteristic(path), characteristic.isNotifying
        else {
            return feed(.link(peripheral, .subscriptionChanged(path, .ended)), to: keeper)
        }
        record(.call, "setNotifyValue false \(path.characteristic)", keeper)
        peripheral.setNotifyValue(false, for: characteristic)
    }

    func probe(
        _ path: CharacteristicPath,
        of peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        guard let characteristic = peripheral.characteristic(path) else {
            let failure = LinkFailure(.incomplete, "\(path) is not there")
            return feed(.link(peripheral, .probed(failure)), to: keeper)
        }
        record(.call, "readValue \(path.characteristic)", keeper, detail: "to probe")
        // The state machine limits the duration, so the request has no deadline.
        keeper.requests.add(nextNumber(), .probe(path), deadline: nil)
        peripheral.readValue(for: characteristic)
    }
}
