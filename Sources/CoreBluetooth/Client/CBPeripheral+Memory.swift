// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// Conversion between the objects and the table that is stored for state restoration.
extension CBPeripheral {
    /// The discovered attributes and the subscriptions. `nil` before the first discovery.
    var rememberedTable: RememberedTable? {
        let (listed, all) = snapshot.read { ($0.tree.services, $0.tree.allServices) }
        guard let listed else { return nil }
        var table = RememberedTable()
        table.services = all.compactMap { service in
            guard let origin = service.origin else { return nil }
            return RememberedTable.Service(
                origin: origin,
                isListed: listed.contains { $0 === service },
                includes: service.includedServices?.compactMap(\.origin?.handle),
                characteristics: service.characteristics?.compactMap(Self.remember)
            )
        }
        table.services.sort { $0.origin.handle < $1.origin.handle }
        return table
    }

    private static func remember(
        _ characteristic: CBCharacteristic
    ) -> RememberedTable.Characteristic? {
        characteristic.origin.map { origin in
            RememberedTable.Characteristic(
                origin: origin,
                isNotifying: characteristic.isNotifying,
                descriptors: characteristic.descriptors?.compactMap(\.origin)
            )
        }
    }

    /// Restores the attributes that a former process discovered, as if they had been discovered
    /// now.
    func adopt(_ table: RememberedTable) {
        for remembered in table.services {
            let service = object(of: remembered.origin)
            if let characteristics = remembered.characteristics {
                adopt(characteristics, in: service)
            }
        }
        for remembered in table.services {
            guard let includes = remembered.includes else { continue }
            let included = table.services.map(\.origin).filter { includes.contains($0.handle) }
            merge(included, includedIn: object(of: remembered.origin))
        }
        merge(table.services.filter(\.isListed).map(\.origin), .all)
    }

    private func adopt(_ characteristics: [RememberedTable.Characteristic], in service: CBService) {
        merge(characteristics.map(\.origin), into: service)
        for (object, remembered) in zip(service.characteristics ?? [], characteristics) {
            object.setNotifying(remembered.isNotifying)
            if let descriptors = remembered.descriptors { merge(descriptors, into: object) }
        }
    }
}
