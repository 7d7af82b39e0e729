// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

/// A published service as a value: the data to publish it, and to make the application's object
/// again after a restart.
///
/// UUIDs are text in the width in which the application made them.
struct AddedService: Hashable, Sendable {
    /// The number of the service at its manager.
    let number: Int
    let uuid: String
    let isPrimary: Bool
    /// The numbers of the included services.
    let includes: [Int]
    let characteristics: [AddedCharacteristic]
    /// The handle of the service. `nil` for any free one.
    var handle: UInt16?
}

/// A characteristic of a published service.
struct AddedCharacteristic: Hashable, Sendable {
    let uuid: String
    /// The bits of `CBCharacteristicProperties`.
    let properties: UInt
    /// The bits of `CBAttributePermissions`.
    let permissions: UInt
    /// `nil` for a dynamic characteristic.
    let value: [UInt8]?
    let descriptors: [AddedDescriptor]
}

/// A descriptor of a published characteristic.
struct AddedDescriptor: Hashable, Sendable {
    let uuid: String
    let value: [UInt8]
}

// Conversion from and to the application's objects.
extension AddedService {
    /// Makes the value of an application's object.
    ///
    /// - Parameter includes: The numbers of the included services.
    init(_ service: CBMutableService, number: Int, includes: [Int]) {
        self.number = number
        self.includes = includes
        uuid = service.uuid.uuidString
        isPrimary = service.isPrimary
        characteristics = (service.characteristics ?? []).compactMap { characteristic in
            (characteristic as? CBMutableCharacteristic).map(AddedCharacteristic.init)
        }
    }

    /// Returns whether both values publish the same service, with any handle.
    func publishesSame(as other: AddedService) -> Bool {
        var other = other
        other.handle = handle
        return self == other
    }

    /// Makes the application's object.
    ///
    /// - Parameter included: The objects that were made before, which the service may include.
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

extension AddedCharacteristic {
    init(_ characteristic: CBMutableCharacteristic) {
        uuid = characteristic.uuid.uuidString
        properties = characteristic.properties.rawValue
        permissions = characteristic.permissions.rawValue
        value = characteristic.cachedValue.map { [UInt8]($0) }
        descriptors = (characteristic.descriptors ?? []).map { descriptor in
            let value = DescriptorValue.bytes(of: descriptor.uuid.value, value: descriptor.value)
            return AddedDescriptor(uuid: descriptor.uuid.uuidString, value: value ?? [])
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

extension AddedDescriptor {
    func makeDescriptor() -> CBMutableDescriptor {
        let identity = CBUUID(string: uuid)
        let value = DescriptorValue.value(of: identity.value, bytes: Data(value))
        return CBMutableDescriptor(type: identity, value: value)
    }
}
