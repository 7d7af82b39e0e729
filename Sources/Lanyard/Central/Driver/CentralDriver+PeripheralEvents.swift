// SPDX-License-Identifier: Apache-2.0

import Foundation

// Events of connected peripherals.

extension CentralDriver {
    /// Receives an event of a peripheral, and ignores it if the peripheral belongs to no accessory.
    func receive(
        _ event: SystemPeripheralEvent,
        _ failure: LinkFailure?,
        of peripheral: SystemPeripheral
    ) {
        guard let entry = entry(of: peripheral) else { return }
        if case .nameChanged = event { return entry.snapshot.setDeviceName(peripheral.name) }
        record(.callback, event.name, entry, detail: failure.map { "\($0)" } ?? event.detail)
        // The attribute no longer exists. The event `servicesModified` follows, and fails the
        // requests for the attribute.
        if failure?.code == .link(LinkFailure.invalidHandle) { return }
        if failure == nil, event.showsPresence { received(entry) }
        switch event {
        case .nameChanged: break
        case .servicesModified(let identifiers):
            feed(.link(peripheral, .servicesModified(identifiers)), to: entry)
            failRequests(of: entry, about: identifiers)
        case .servicesDiscovered: servicesDiscovered(failure, peripheral, entry)
        case .characteristicsDiscovered(let service):
            characteristicsDiscovered(of: service, failure, peripheral, entry)
        case .includedServicesDiscovered(let service):
            let found = peripheral.included(in: service)
            _ = explored(.includedServices(service.reference), found, failure, entry)
        case .descriptorsDiscovered(let characteristic):
            let found = peripheral.members(of: characteristic)
            _ = explored(.descriptors(characteristic.reference), found, failure, entry)
        case .value(let value, let attribute):
            valueReceived(value, of: attribute, failure, peripheral, entry)
        case .descriptorRead(let content, let attribute):
            answer(.value(attribute.reference), entry, failure, .descriptor(content))
        case .subscriptionChanged(let attribute):
            subscriptionChanged(attribute, failure, peripheral, entry)
        case .written(let attribute):
            guard let path = attribute.path else { return }
            entry.writes.confirmed(path, failure.map { AccessoryError($0) }, now: now)
            write(entry)
        case .hasRoom: write(entry)
        case .signal(SystemPeripheralEvent.unknownSignal):
            let failure = failure ?? LinkFailure(.unknown, "the signal strength is unknown")
            answer(.signal, entry, failure, .signal(SystemPeripheralEvent.unknownSignal))
        case .signal(let signal):
            if failure == nil, let slot = entry.slot { pool.measured(slot, signal: signal) }
            answer(.signal, entry, failure, .signal(signal))
        case .channelOpened(let channel): channelOpened(channel, failure, entry)
        }
    }

    // MARK: Discovery

    private func servicesDiscovered(
        _ failure: LinkFailure?,
        _ peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        let services = peripheral.services
        guard explored(.services, services, failure, entry) else { return }
        let event: AccessoryLinkEvent =
            failure.map { .discoveryFailed($0) }
            ?? .servicesDiscovered(Set(services.map(\.identifier)))
        feed(.link(peripheral, event), to: entry)
    }

    private func characteristicsDiscovered(
        of service: SystemAttribute,
        _ failure: LinkFailure?,
        _ peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        let found = peripheral.members(of: service)
        guard explored(.characteristics(service.reference), found, failure, entry) else { return }
        if let failure {
            entry.awaitedAnswers[service.identifier] = nil
            return feed(.link(peripheral, .discoveryFailed(failure)), to: entry)
        }
        characteristicsFound(of: service.identifier, peripheral, entry)
    }

    /// If several services have the same UUID, the state machine receives one event, after the last
    /// of them has answered.
    private func characteristicsFound(
        of service: BluetoothID,
        _ peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let awaited = entry.awaitedAnswers[service] else { return }
        entry.awaitedAnswers[service] = awaited > 1 ? awaited - 1 : nil
        guard awaited <= 1 else { return }
        let found = peripheral.knownPaths.filter { $0.service == service }.map(\.characteristic)
        feed(
            .link(peripheral, .characteristicsDiscovered(of: service, Set(found))),
            to: entry
        )
    }

    private func subscriptionChanged(
        _ attribute: SystemAttribute,
        _ failure: LinkFailure?,
        _ peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let path = attribute.path else { return }
        let change: SubscriptionChange =
            failure.map { .failed($0) } ?? (attribute.isNotifying ? .confirmed : .ended)
        feed(.link(peripheral, .subscriptionChanged(path, change)), to: entry)
    }
}

extension SystemPeripheralEvent {
    /// Whether the event proves that the peripheral has sent a packet. The system can measure the
    /// signal strength, and report room for writes, without a packet of the peripheral.
    fileprivate var showsPresence: Bool {
        switch self {
        case .signal, .hasRoom: false
        default: true
        }
    }

    /// The name of the event in records: that of Core Bluetooth's callback.
    fileprivate var name: String {
        switch self {
        case .nameChanged: "peripheralDidUpdateName"
        case .servicesModified: "didModifyServices"
        case .servicesDiscovered: "didDiscoverServices"
        case .includedServicesDiscovered(let service):
            "didDiscoverIncludedServices \(service.identifier)"
        case .characteristicsDiscovered(let service):
            "didDiscoverCharacteristics \(service.identifier)"
        case .descriptorsDiscovered(let characteristic):
            "didDiscoverDescriptors \(characteristic.identifier)"
        case .subscriptionChanged(let characteristic):
            "didUpdateNotificationState \(characteristic.identifier)"
        case .value(_, let attribute), .descriptorRead(_, let attribute):
            "didUpdateValue \(attribute.identifier)"
        case .written(let characteristic): "didWriteValue \(characteristic.identifier)"
        case .hasRoom: "peripheralIsReady"
        case .signal: "didReadRSSI"
        case .channelOpened: "didOpen"
        }
    }

    /// The details for records, if there is no failure.
    fileprivate var detail: String? {
        switch self {
        case .servicesModified(let identifiers): "\(identifiers)"
        case .value(let value, _): "\(value.count) bytes"
        case .signal(let signal): "\(signal) dBm"
        default: nil
        }
    }
}
