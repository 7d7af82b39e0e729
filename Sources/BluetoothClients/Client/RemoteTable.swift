// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The attributes of a peer that an application discovered, and its subscriptions.
///
/// Each service is stored once, and the services that include it refer to its handle. The stored
/// form is therefore not recursive, and a manipulated record cannot cause recursion.
package struct RemoteTable: Hashable, Sendable {
    /// A service with its discovered contents. Contents are `nil` before their discovery.
    package struct Service: Hashable, Sendable {
        package let origin: GATT.Service
        /// Whether a discovery of services found the service. If not, it was found as an included
        /// service.
        package var isListed = true
        /// The handles of the included services.
        package var includes: [AttributeHandle]?
        package var characteristics: [Characteristic]?
    }

    /// A characteristic with its discovered descriptors.
    package struct Characteristic: Hashable, Sendable {
        package let origin: GATT.Characteristic
        /// Whether the application subscribed to the value.
        package var isNotifying = false
        package var descriptors: [GATT.Descriptor]?
    }

    /// The services, ordered by handle.
    package var services: [Service] = []

    package init(services: [Service] = []) {
        self.services = services
    }

    /// The characteristics that the application subscribed to, in the order of the table.
    var notifying: [GATT.Characteristic] {
        services.flatMap { $0.characteristics ?? [] }.filter(\.isNotifying).map(\.origin)
    }

    /// Returns the service with a handle.
    package func service(_ handle: AttributeHandle) -> Service? {
        place(of: handle).map { services[$0] }
    }

    /// Returns the index of the service with a handle.
    func place(of handle: AttributeHandle) -> Int? {
        var (low, high) = (services.startIndex, services.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if services[middle].origin.handle < handle { low = middle + 1 } else { high = middle }
        }
        return low < services.endIndex && services[low].origin.handle == handle ? low : nil
    }

    /// Returns the services in these ranges for which the application may have objects: those that
    /// it discovered, and included secondary services.
    package func visibleServices(in ranges: [ClosedRange<AttributeHandle>]) -> [Service] {
        services.filter { service in
            (service.isListed || !service.origin.isPrimary)
                && ranges.contains { $0.overlaps(service.origin.handles) }
        }
    }

    /// Ends all subscriptions, because the link was lost and the manager reconnects. The
    /// application has to subscribe again.
    package mutating func endSubscriptions() {
        for place in services.indices {
            for index in (services[place].characteristics ?? []).indices {
                services[place].characteristics?[index].isNotifying = false
            }
        }
    }
}

// Comparison with the peer's current table.
extension RemoteTable {
    /// Returns the handles of the services that changed: they are missing or have moved, or they
    /// lack an attribute that the application discovered.
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

extension RemoteTable.Service {
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

extension RemoteTable.Characteristic {
    /// Returns whether a discovery found this characteristic again. `endHandle` is not compared,
    /// because it depends on the extent of the discovery.
    fileprivate func isContained(in found: GATT.DiscoveredCharacteristic) -> Bool {
        let characteristic = found.characteristic
        return characteristic.handle == origin.handle
            && characteristic.valueHandle == origin.valueHandle
            && characteristic.uuid == origin.uuid
            && characteristic.properties == origin.properties
            && Set(found.descriptors).isSuperset(of: descriptors ?? [])
    }
}
