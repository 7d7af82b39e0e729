// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation
import Lanyard

/// The published services of a server, with the numbers by which the adapter knows them, and the
/// centrals that subscribe to their characteristics.
struct PortServerTable {
    private var services: [Int: AddedService] = [:]
    private var lastNumber = 0
    private var subscribers: [BluetoothID: [SystemSubscriber]] = [:]
    /// The maximum length of a value for each connected central, as the adapter last reported it.
    private var lengths: [UUID: Int] = [:]

    // MARK: Services

    /// Adds a service. Returns its definition for the adapter.
    mutating func add(_ service: PublishedService) -> AddedService {
        lastNumber += 1
        let value = AddedService(
            number: lastNumber,
            uuid: service.identifier.written?.text ?? service.identifier.text,
            isPrimary: true,
            includes: [],
            characteristics: service.characteristics.map { AddedCharacteristic($0) }
        )
        services[lastNumber] = value
        return value
    }

    /// Adds a service that the adapter has restored. Returns its characteristics.
    mutating func restore(_ service: AddedService) -> [BluetoothID] {
        lastNumber = max(lastNumber, service.number)
        services[service.number] = service
        return service.characteristics.map { BluetoothID(shortening: $0.uuid) }
    }

    mutating func remove(_ number: Int) {
        guard let service = services.removeValue(forKey: number) else { return }
        for characteristic in service.characteristics {
            subscribers[BluetoothID(shortening: characteristic.uuid)] = nil
        }
    }

    mutating func removeAll() {
        services = [:]
        subscribers = [:]
    }

    /// Returns the UUID of a service.
    func identifier(of number: Int) -> BluetoothID? {
        services[number].map { BluetoothID(shortening: $0.uuid) }
    }

    /// Returns the characteristic with an identifier; `nil` if it is no longer published.
    func characteristic(with characteristicID: PublishedCharacteristicID) -> BluetoothID? {
        guard let characteristics = services[characteristicID.service]?.characteristics,
            characteristics.indices.contains(characteristicID.characteristic)
        else { return nil }
        return BluetoothID(shortening: characteristics[characteristicID.characteristic].uuid)
    }

    /// Returns the identifier of a characteristic; `nil` if it is not published.
    func characteristicID(
        of characteristic: BluetoothID,
        _ session: SessionIdentifier
    ) -> PublishedCharacteristicID? {
        for (number, service) in services {
            let index = service.characteristics.firstIndex {
                BluetoothID(shortening: $0.uuid) == characteristic
            }
            guard let index else { continue }
            return .init(session: session, service: number, characteristic: index)
        }
        return nil
    }

    // MARK: Centrals

    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber] {
        (subscribers[characteristic] ?? []).map { updated($0) }
    }

    mutating func subscribed(_ central: SystemSubscriber, to characteristic: BluetoothID) {
        unsubscribed(central.identifier, from: characteristic)
        subscribers[characteristic, default: []].append(central)
    }

    mutating func unsubscribed(_ central: UUID, from characteristic: BluetoothID) {
        subscribers[characteristic]?.removeAll { $0.identifier == central }
    }

    /// Sets the maximum lengths of the values for all connected centrals.
    mutating func setLengths(_ lengths: [PeerIdentifier: Int]) {
        self.lengths = Dictionary(
            lengths.map { (UUID($0), $1) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the central with its current maximum length. The length in `central` may be out of
    /// date, because an event can wait on the queue.
    func updated(_ central: SystemSubscriber) -> SystemSubscriber {
        SystemSubscriber(
            identifier: central.identifier,
            maximumLength: lengths[central.identifier] ?? central.maximumLength
        )
    }
}

extension SystemSubscriber {
    init(_ central: ServedCentral) {
        self.init(
            identifier: UUID(central.peer),
            maximumLength: central.maximumUpdateValueLength
        )
    }
}

extension AddedCharacteristic {
    /// Creates the characteristic for the adapter. It has no value, so that the adapter asks the
    /// server for the value at each read. If it is protected, its notifications and indications
    /// need encryption as well.
    fileprivate init(_ characteristic: PublishedCharacteristic) {
        let uses = characteristic.uses
        var properties = ServedProperties(
            rawValue: UInt(uses.subtracting([.notify, .indicate]).rawValue)
        )
        if uses.contains(.notify) {
            properties.insert(characteristic.isProtected ? .notifyEncryptionRequired : .notify)
        }
        if uses.contains(.indicate) {
            properties.insert(characteristic.isProtected ? .indicateEncryptionRequired : .indicate)
        }
        self.init(
            uuid: characteristic.identifier.written?.text ?? characteristic.identifier.text,
            properties: properties,
            permissions: characteristic.isProtected
                ? [.readEncryptionRequired, .writeEncryptionRequired] : [.readable, .writeable],
            value: nil,
            descriptors: []
        )
    }
}
