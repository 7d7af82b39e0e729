// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A `CBPeripheral` with the references to its attributes. It is the delegate of the peripheral.
///
/// Unchecked: used on the manager's queue only. An `Adoption` may create the object on another
/// thread before that.
final class CoreBluetoothPeripheral: NSObject, @unchecked Sendable {
    let peripheral: CBPeripheral
    /// The object for the driver, which owns this one.
    private(set) weak var owner: SystemPeripheral?
    private weak var central: CoreBluetoothCentral?
    /// The valid attributes, by reference.
    private var objects: [AttributeReference: CBAttribute] = [:]
    /// The references of the valid attributes.
    private var references: [ObjectIdentifier: AttributeReference] = [:]

    private init(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
    }

    /// Creates the object for the driver.
    static func make(_ peripheral: CBPeripheral) -> SystemPeripheral {
        let source = CoreBluetoothPeripheral(peripheral)
        let owner = SystemPeripheral(
            peripheral.identifier,
            name: peripheral.name,
            source: source
        )
        source.owner = owner
        return owner
    }

    /// Becomes the delegate of the peripheral.
    func attach(to central: CoreBluetoothCentral) {
        self.central = central
        peripheral.delegate = self
    }

    func belongs(to central: CoreBluetoothCentral) -> Bool { self.central === central }

    /// Passes an event to the central, with the error of the request to which the event is the
    /// answer.
    func post(_ event: SystemPeripheralEvent, _ error: (any Error)? = nil) {
        guard let owner else { return }
        central?.post(.peripheral(owner, event, error.map { LinkFailure($0) }))
    }

    // MARK: Requests

    func send(_ request: PeripheralRequest) {
        switch request {
        case .discoverServices(let services): peripheral.discoverServices(services?.map(\.cbuuid))
        case .discoverIncludedServices(let reference):
            guard let service = objects[reference] as? CBService else { return }
            peripheral.discoverIncludedServices(nil, for: service)
        case .discoverCharacteristics(let characteristics, let reference):
            guard let service = objects[reference] as? CBService else { return }
            peripheral.discoverCharacteristics(characteristics?.map(\.cbuuid), for: service)
        case .discoverDescriptors(let reference):
            guard let characteristic = objects[reference] as? CBCharacteristic else { return }
            peripheral.discoverDescriptors(for: characteristic)
        case .read(let reference): read(reference)
        case .write(let value, let reference, let withResponse):
            guard let characteristic = objects[reference] as? CBCharacteristic else { return }
            let type: CBCharacteristicWriteType = withResponse ? .withResponse : .withoutResponse
            peripheral.writeValue(value, for: characteristic, type: type)
        case .setNotifying(let isNotifying, let reference):
            guard let characteristic = objects[reference] as? CBCharacteristic else { return }
            peripheral.setNotifyValue(isNotifying, for: characteristic)
        case .readSignal: peripheral.readRSSI()
        case .openChannel(let psm): peripheral.openL2CAPChannel(psm)
        }
    }

    private func read(_ reference: AttributeReference) {
        switch objects[reference] {
        case let characteristic as CBCharacteristic: peripheral.readValue(for: characteristic)
        case let descriptor as CBDescriptor: peripheral.readValue(for: descriptor)
        default: break
        }
    }

    // MARK: The table

    /// Returns the attribute for an object; `nil` if it is no longer valid.
    func attribute(_ object: CBAttribute) -> SystemAttribute? {
        references[ObjectIdentifier(object)].flatMap { owner?.attribute($0) }
    }

    /// Updates the table of the owner. Attributes that are still valid keep their references.
    func updateTable() {
        var table = AttributeTable(former: references)
        table.add(peripheral.services ?? [])
        (objects, references) = (table.objects, table.references)
        owner?.attributes = table.attributes
    }
}

/// A table of attributes, made from the objects of Core Bluetooth.
private struct AttributeTable {
    let former: [ObjectIdentifier: AttributeReference]
    var objects: [AttributeReference: CBAttribute] = [:]
    var references: [ObjectIdentifier: AttributeReference] = [:]
    var attributes: [SystemAttribute] = []

    init(former: [ObjectIdentifier: AttributeReference]) {
        self.former = former
    }

    /// Adds the discovered services and those that they include, each once.
    mutating func add(_ listed: [CBService]) {
        for service in listed { reserve(service) }
        var waiting = listed
        for service in listed { add(service, isListed: true) }
        while let service = waiting.popLast() {
            for included in service.includedServices ?? []
            where references[ObjectIdentifier(included)] == nil {
                reserve(included)
                add(included, isListed: false)
                waiting.append(included)
            }
        }
        for index in attributes.indices where attributes[index].kind == .service {
            let service = objects[attributes[index].reference] as? CBService
            attributes[index].includes = (service?.includedServices ?? [])
                .compactMap { references[ObjectIdentifier($0)] }
        }
    }

    /// Adds an object, and returns its reference: the former one if the object had one, otherwise a
    /// new one.
    @discardableResult
    private mutating func reserve(_ object: CBAttribute) -> AttributeReference {
        let key = ObjectIdentifier(object)
        let reference = references[key] ?? former[key] ?? .next()
        references[key] = reference
        objects[reference] = object
        return reference
    }

    private mutating func add(_ service: CBService, isListed: Bool) {
        let identifier = BluetoothID(service.uuid)
        var row = SystemAttribute(reserve(service), .service, identifier)
        row.isPrimary = service.isPrimary
        row.isListed = isListed
        attributes.append(row)
        for characteristic in service.characteristics ?? [] {
            add(characteristic, of: row)
        }
    }

    private mutating func add(_ characteristic: CBCharacteristic, of service: SystemAttribute) {
        let identifier = BluetoothID(characteristic.uuid)
        var row = SystemAttribute(reserve(characteristic), .characteristic, identifier)
        row.owner = service.reference
        row.path = CharacteristicPath(service.identifier, identifier)
        row.properties = CharacteristicUses(rawValue: Int(characteristic.properties.rawValue))
        row.isNotifying = characteristic.isNotifying
        row.isListed = service.isListed
        attributes.append(row)
        for descriptor in characteristic.descriptors ?? [] {
            let identifier = BluetoothID(descriptor.uuid)
            var member = SystemAttribute(reserve(descriptor), .descriptor, identifier)
            member.owner = row.reference
            member.isListed = service.isListed
            attributes.append(member)
        }
    }
}
