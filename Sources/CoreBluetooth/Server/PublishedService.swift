// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation

/// A service as an application has put it together: everything that it takes to publish it, and to make
/// the application's object again after a restart.
///
/// UUIDs are texts in the width in which the application made them.
struct PublishedService: Hashable, Sendable, Codable {
    /// Names the service among those of its manager.
    let number: Int
    let uuid: String
    let isPrimary: Bool
    /// The services that it includes, by their numbers.
    let includes: [Int]
    let characteristics: [PublishedCharacteristic]
    /// Where in the table it is, or is to be; nil for wherever there is room.
    var handle: UInt16?
}

/// A characteristic of such a service.
struct PublishedCharacteristic: Hashable, Sendable, Codable {
    let uuid: String
    /// The bits of `CBCharacteristicProperties`.
    let properties: UInt
    /// The bits of `CBAttributePermissions`.
    let permissions: UInt
    /// Nil for a dynamic one.
    let value: [UInt8]?
    let descriptors: [PublishedDescriptor]
}

/// A descriptor of such a characteristic.
struct PublishedDescriptor: Hashable, Sendable, Codable {
    let uuid: String
    let value: [UInt8]
}

// What applications make, and what is made for them.
extension PublishedService {
    /// What an application's object says; `numbers` are those of the services it includes.
    init(_ service: CBMutableService, number: Int, includes: [Int]) {
        self.number = number
        self.includes = includes
        uuid = service.uuid.uuidString
        isPrimary = service.isPrimary
        characteristics = (service.characteristics ?? []).compactMap { characteristic in
            (characteristic as? CBMutableCharacteristic).map(PublishedCharacteristic.init)
        }
    }

    /// An object as the application made it; `included` are those that it made before.
    func makeService(included: [Int: CBMutableService]) -> CBMutableService {
        let service = CBMutableService(type: CBUUID(string: uuid), primary: isPrimary)
        let includedServices = includes.compactMap { included[$0] }
        if !includedServices.isEmpty { service.includedServices = includedServices }
        if !characteristics.isEmpty {
            service.characteristics = characteristics.map { $0.makeCharacteristic() }
        }
        return service
    }
}

extension PublishedCharacteristic {
    init(_ characteristic: CBMutableCharacteristic) {
        uuid = characteristic.uuid.uuidString
        properties = characteristic.properties.rawValue
        permissions = characteristic.permissions.rawValue
        value = characteristic.value.map { [UInt8]($0) }
        descriptors = (characteristic.descriptors ?? []).map { descriptor in
            let value = DescriptorValue.octets(of: descriptor.uuid.value, value: descriptor.value)
            return PublishedDescriptor(uuid: descriptor.uuid.uuidString, value: value ?? [])
        }
    }

    func makeCharacteristic() -> CBMutableCharacteristic {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: CBCharacteristicProperties(rawValue: properties),
            value: value.map { Data($0) },
            permissions: CBAttributePermissions(rawValue: permissions)
        )
        if !descriptors.isEmpty {
            characteristic.descriptors = descriptors.map { $0.makeDescriptor() }
        }
        return characteristic
    }
}

extension PublishedDescriptor {
    func makeDescriptor() -> CBMutableDescriptor {
        let identity = CBUUID(string: uuid)
        let value = DescriptorValue.value(of: identity.value, octets: Data(value))
        return CBMutableDescriptor(type: identity, value: value)
    }
}
