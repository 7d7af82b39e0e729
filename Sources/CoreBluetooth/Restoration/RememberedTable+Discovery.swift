// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The table grows and shrinks by the same events of which the application's objects are made. It does
// so before the application hears of them: what it was told is kept.
extension RememberedTable {
    /// Takes in what a manager is about to be told; whether that makes a difference.
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

    /// The link is lost, and comes back by itself: no values come until they are asked for again.
    mutating func quiet() {
        for (place, service) in services.enumerated() {
            for index in (service.characteristics ?? []).indices {
                services[place].characteristics?[index].isNotifying = false
            }
        }
    }

    /// What was looked for and is not there any more goes.
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

    /// Services go, and the references to them.
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

    /// Changes the characteristic whose value has this handle, if it is known.
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
