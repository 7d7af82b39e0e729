// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// What an application had discovered of a peer's table, and what it listened to there.
///
/// Each service is in it once, however it was found; inclusions name it by its handle. So there is no
/// recursion in it, and a record that was tampered with cannot make any.
struct RememberedTable: Hashable, Sendable {
    /// A service, and what was discovered in it; nil is what the application has not asked for.
    struct Service: Hashable, Sendable {
        let origin: GATT.Service
        /// Whether the peripheral shows it by itself: otherwise it was found as an included one.
        var isListed = true
        /// The declarations of the services that it includes.
        var includes: [AttributeHandle]?
        var characteristics: [Characteristic]?
    }

    /// A characteristic, with what was discovered of it.
    struct Characteristic: Hashable, Sendable {
        let origin: GATT.Characteristic
        /// Whether its value was to come unasked.
        var isNotifying = false
        var descriptors: [GATT.Descriptor]?
    }

    /// All services, in the order of the first discovery.
    var services: [Service] = []

    /// The characteristics whose values were to come unasked, in the order of the table.
    var notifying: [GATT.Characteristic] {
        services.flatMap { $0.characteristics ?? [] }.filter(\.isNotifying).map(\.origin)
    }
}

// What is left of it in the table that the peer has now.
extension RememberedTable {
    /// The declarations of the services that are not what they were: gone, moved, or with something
    /// else where the application knows a characteristic or a descriptor.
    func stale(in database: GATT.Database) -> Set<AttributeHandle> {
        let present = Dictionary(
            database.services.map { ($0.service.handle, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let stale = services.filter { service in
            guard let found = present[service.origin.handle] else { return true }
            return !service.isContained(in: found)
        }
        return Set(stale.map(\.origin.handle))
    }
}

extension RememberedTable.Service {
    fileprivate func isContained(in found: GATT.DiscoveredService) -> Bool {
        guard found.service.uuid == origin.uuid, found.service.endHandle == origin.endHandle else {
            return false
        }
        let included = Set(found.includes.map(\.service.handle))
        guard included.isSuperset(of: includes ?? []) else { return false }
        return (characteristics ?? []).allSatisfy { remembered in
            found.characteristics.contains { remembered.isContained(in: $0) }
        }
    }
}

extension RememberedTable.Characteristic {
    /// Where a characteristic ends depends on how far was searched, and is not compared.
    fileprivate func isContained(in found: GATT.DiscoveredCharacteristic) -> Bool {
        let characteristic = found.characteristic
        return characteristic.handle == origin.handle
            && characteristic.valueHandle == origin.valueHandle
            && characteristic.uuid == origin.uuid
            && characteristic.properties == origin.properties
            && Set(found.descriptors).isSuperset(of: descriptors ?? [])
    }
}
