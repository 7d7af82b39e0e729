// SPDX-License-Identifier: Apache-2.0

/// One use of a characteristic, as a property of a profile declares it.
struct CharacteristicUse: Hashable, Sendable {
    var path: CharacteristicPath
    var role: CharacteristicDescription.Role
    var isRequired: Bool

    /// Returns the services of these uses, in the order of their first use. A characteristic or
    /// service is required if one of its uses is.
    static func services(_ uses: [CharacteristicUse]) -> [ServiceDescription] {
        var services: [ServiceDescription] = []
        var places: [BluetoothID: BluetoothID] = [:]
        for use in uses {
            let former = places.updateValue(use.path.service, forKey: use.path.characteristic)
            precondition(
                former == nil || former == use.path.service,
                "the profile declares \(use.path.characteristic) in two services"
            )
            let index = services.firstIndex { $0.identifier == use.path.service }
            if let index {
                services[index].add(use)
            } else {
                var service = ServiceDescription(use.path.service, [], isRequired: false)
                service.add(use)
                services.append(service)
            }
        }
        return services
    }
}

extension ServiceDescription {
    fileprivate mutating func add(_ use: CharacteristicUse) {
        isRequired = isRequired || use.isRequired
        let identifier = use.path.characteristic
        if let index = characteristics.firstIndex(where: { $0.identifier == identifier }) {
            characteristics[index].roles.insert(use.role)
            characteristics[index].isRequired = characteristics[index].isRequired || use.isRequired
        } else {
            characteristics.append(
                CharacteristicDescription(identifier, [use.role], isRequired: use.isRequired)
            )
        }
    }
}

extension AccessoryDescription {
    /// Returns whether the description declares a use.
    func declares(_ use: CharacteristicUse) -> Bool {
        guard path(of: use.path.characteristic) == use.path else { return false }
        return services.contains { service in
            service.identifier == use.path.service
                && service.characteristics.contains {
                    $0.identifier == use.path.characteristic && $0.roles.contains(use.role)
                }
        }
    }
}

/// The type of a property of a profile that declares uses of characteristics, such as ``Readable``.
protocol CharacteristicUseProvider {
    /// Returns the uses. If the property names no service, they are in `service`.
    func uses(in service: BluetoothID) -> [CharacteristicUse]
}
