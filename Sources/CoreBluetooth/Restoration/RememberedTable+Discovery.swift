// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// Updating the table. The events that make the application's objects also change the table, before
// the application receives them: the application never has an object that is not stored.
extension RememberedTable {
    /// Adds the contents of an event that is being sent to a manager. Returns whether the table
    /// changed.
    mutating func take(_ event: PeripheralEvent) -> Bool {
        let former = self
        switch event {
        case .servicesFound(let filter, .success(let found)): merge(found, filter)
        case .includedServicesFound(_, let service, .success(let found)):
            merge(found, includedIn: service)
        case .characteristicsFound(_, let service, .success(let found)):
            merge(found, into: service)
        case .descriptorsFound(let characteristic, .success(let found)):
            change(characteristic) { characteristic in
                let known = characteristic.descriptors ?? []
                characteristic.descriptors = known + found.filter { !known.contains($0) }
            }
        case .notifyingSet(let characteristic, .success(let isNotifying)):
            change(characteristic) { $0.isNotifying = isNotifying }
        case .servicesModified(let ranges, _):
            removeServices { service in
                ranges.contains { $0.overlaps(service.origin.handles) }
            }
        default: return false
        }
        return self != former
    }

    /// Ends all subscriptions, because the link was lost and the manager reconnects. The
    /// application has to subscribe again.
    mutating func quiet() {
        for (place, service) in services.enumerated() {
            for index in (service.characteristics ?? []).indices {
                services[place].characteristics?[index].isNotifying = false
            }
        }
    }

    /// Adds discovered services, and removes those of the search that were not found.
    private mutating func merge(_ found: [GATT.Service], _ filter: UUIDFilter) {
        removeServices { service in
            service.isListed && filter.admits(service.origin.uuid)
                && !found.contains { service.origin.isSame(as: $0) }
        }
        for service in found { insert(service, isListed: true) }
    }

    private mutating func merge(_ found: [GATT.Service], includedIn handle: AttributeHandle) {
        guard let place = place(of: handle) else { return }
        let known = services[place].includes ?? []
        services[place].includes = known + found.map(\.handle).filter { !known.contains($0) }
        for service in found { insert(service, isListed: false) }
    }

    private mutating func merge(_ found: [GATT.Characteristic], into handle: AttributeHandle) {
        guard let place = place(of: handle) else { return }
        let known = services[place].characteristics ?? []
        let new = found.filter { found in !known.contains { $0.origin == found } }
            .map { Characteristic(origin: $0) }
        services[place].characteristics = (known + new).sorted {
            $0.origin.handle < $1.origin.handle
        }
    }

    private mutating func insert(_ service: GATT.Service, isListed: Bool) {
        if let place = place(of: service.handle) {
            if services[place].origin.isSame(as: service) {
                services[place].isListed = services[place].isListed || isListed
                return
            }
            services.remove(at: place)
        }
        services.append(Service(origin: service, isListed: isListed))
        services.sort { $0.origin.handle < $1.origin.handle }
    }

    /// Removes services and the references to them.
    private mutating func removeServices(where isStale: (Service) -> Bool) {
        let stale = Set(services.filter(isStale).map(\.origin.handle))
        guard !stale.isEmpty else { return }
        services.removeAll { stale.contains($0.origin.handle) }
        for place in services.indices {
            services[place].includes?.removeAll { stale.contains($0) }
        }
    }

    private func place(of service: AttributeHandle) -> Int? {
        services.firstIndex { $0.origin.handle == service }
    }

    /// Changes the characteristic with a value handle, if the table contains it.
    private mutating func change(
        _ value: AttributeHandle,
        _ change: (inout Characteristic) -> Void
    ) {
        for place in services.indices {
            let known = services[place].characteristics ?? []
            guard let index = known.firstIndex(where: { $0.origin.valueHandle == value }) else {
                continue
            }
            var characteristic = known[index]
            change(&characteristic)
            services[place].characteristics?[index] = characteristic
            return
        }
    }
}
