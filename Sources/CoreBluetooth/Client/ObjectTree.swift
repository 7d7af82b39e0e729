// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// The objects of a peripheral's discovered attributes. An attribute has one object while the
/// peripheral's table does not change.
struct ObjectTree {
    /// The services that a discovery of services found, ordered by handle. `nil` before the first
    /// one.
    var services: [CBService]?
    /// All services, including those that are only included in others.
    private var servicesByHandle: [AttributeHandle: CBService] = [:]
    private var characteristics: [AttributeHandle: CBCharacteristic] = [:]
    private var descriptors: [AttributeHandle: CBDescriptor] = [:]

    func service(_ handle: AttributeHandle) -> CBService? { servicesByHandle[handle] }

    /// Returns the characteristic with a value handle.
    func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? { characteristics[handle] }

    func descriptor(_ handle: AttributeHandle) -> CBDescriptor? { descriptors[handle] }

    var allServices: [CBService] { Array(servicesByHandle.values) }

    var allCharacteristics: [CBCharacteristic] { Array(characteristics.values) }

    mutating func keep(_ service: CBService) {
        if let handle = service.origin?.handle { servicesByHandle[handle] = service }
    }

    mutating func keep(_ characteristic: CBCharacteristic) {
        guard let handle = characteristic.origin?.valueHandle else { return }
        characteristics[handle] = characteristic
    }

    mutating func keep(_ descriptor: CBDescriptor) {
        if let handle = descriptor.origin?.handle { descriptors[handle] = descriptor }
    }

    /// Removes a service, with its characteristics and descriptors.
    mutating func drop(_ service: CBService) {
        if let handle = service.origin?.handle, servicesByHandle[handle] === service {
            servicesByHandle[handle] = nil
        }
        services?.removeAll { $0 === service }
        for characteristic in service.characteristics ?? [] { drop(characteristic) }
    }

    /// Removes a characteristic, with its descriptors.
    mutating func drop(_ characteristic: CBCharacteristic) {
        if let handle = characteristic.origin?.valueHandle,
            characteristics[handle] === characteristic
        {
            characteristics[handle] = nil
        }
        for descriptor in characteristic.descriptors ?? [] {
            guard let handle = descriptor.origin?.handle, descriptors[handle] === descriptor
            else { continue }
            descriptors[handle] = nil
        }
    }
}
