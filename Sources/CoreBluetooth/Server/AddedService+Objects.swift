// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

// Conversion from and to the app's objects.
extension AddedService {
    /// Creates the value that the adapter publishes from an app's service.
    ///
    /// - Parameter includes: The numbers of the published services that the service includes.
    init(_ service: CBMutableService, number: Int, includes: [Int]) {
        self.init(
            number: number,
            uuid: service.uuid.uuidString,
            isPrimary: service.isPrimary,
            includes: includes,
            characteristics: (service.characteristics ?? []).compactMap { characteristic in
                (characteristic as? CBMutableCharacteristic).map { AddedCharacteristic($0) }
            }
        )
    }

    /// Creates the service for the app when state is restored.
    ///
    /// - Parameter included: The services that were created before, by number. The service includes
    ///   those that `includes` names.
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
        self.init(
            uuid: characteristic.uuid.uuidString,
            properties: ServedProperties(rawValue: characteristic.properties.rawValue),
            permissions: ServedPermissions(rawValue: characteristic.permissions.rawValue),
            value: characteristic.cachedValue.map { [UInt8]($0) },
            descriptors: (characteristic.descriptors ?? []).map { descriptor in
                let type = descriptor.uuid.value
                let value = DescriptorValue.bytes(of: type, value: descriptor.value)
                return AddedDescriptor(uuid: descriptor.uuid.uuidString, value: value ?? [])
            }
        )
    }

    func makeCharacteristic() -> CBMutableCharacteristic {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: uuid),
            properties: CBCharacteristicProperties(rawValue: properties.rawValue),
            value: value.map { Data($0) },
            permissions: CBAttributePermissions(rawValue: permissions.rawValue)
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
