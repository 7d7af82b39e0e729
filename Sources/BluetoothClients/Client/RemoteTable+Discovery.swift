// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Updates of the table by the events of its peripheral. Each `RemotePeripheral` has a table. If its
// manager uses state restoration, the adapter has a second table, which the same events update
// first.
extension RemoteTable {
    /// Adds the contents of an event that is being sent to a manager.
    ///
    /// - Returns: The handles of the services that the event may have added, changed or removed.
    @discardableResult
    package mutating func take(_ event: RemoteEvent) -> [AttributeHandle] {
        switch event {
        case .found(let search, .success(let outcome)): take(outcome, of: search)
        case .notifyingSet(let value, .success(let isNotifying)):
            change(value) { $0.isNotifying = isNotifying }
        case .servicesModified(let ranges, _):
            removeServices { service in ranges.contains { $0.overlaps(service.origin.handles) } }
        default: []
        }
    }

    /// Adds the result of a search.
    private mutating func take(
        _ outcome: GATT.Outcome,
        of search: ClientSearch
    ) -> [AttributeHandle] {
        switch (search, outcome) {
        case (.services(let filter), .services(let found)):
            return take(found, filter)
        case (.includedServices(_, let origin), .includedServices(let found)):
            guard let place = place(of: origin.handle) else { return [] }
            let handles = found.map(\.service.handle)
            services[place].includes = merged(services[place].includes, handles, by: { $0 }, ==)
            insert(found.map { Service(origin: $0.service, isListed: false) })
            return handles + [origin.handle]
        case (.characteristics(_, let origin), .characteristics(let found)):
            guard let place = place(of: origin.handle) else { return [] }
            services[place].characteristics = merged(
                services[place].characteristics,
                found.map { Characteristic(origin: $0) },
                by: \.origin.valueHandle
            ) { $0.origin == $1.origin }
            return [origin.handle]
        case (.descriptors(let origin), .descriptors(let found)):
            return change(origin.valueHandle) { characteristic in
                characteristic.descriptors =
                    merged(characteristic.descriptors, found, by: \.handle, ==)
            }
        default: return []
        }
    }

    /// Adds the services that a search found. Removes the services that match the search but were
    /// not found again.
    private mutating func take(
        _ found: [GATT.Service],
        _ filter: UUIDFilter
    ) -> [AttributeHandle] {
        let byHandle = Dictionary(found.map { ($0.handle, $0) }, uniquingKeysWith: { $1 })
        let changed = removeServices { service in
            service.isListed && filter.admits(service.origin.uuid)
                && byHandle[service.origin.handle]?.isSame(as: service.origin) != true
        }
        insert(found.map { Service(origin: $0) })
        for place in services.indices where byHandle[services[place].origin.handle] != nil {
            services[place].isListed = true
        }
        return changed + byHandle.keys
    }

    private mutating func insert(_ found: [Service]) {
        services = merged(services, found, by: \.origin.handle) { $0.origin.isSame(as: $1.origin) }
    }

    /// Removes services, and removes them from the services that include them. Returns the handles
    /// of both.
    private mutating func removeServices(where isStale: (Service) -> Bool) -> [AttributeHandle] {
        let stale = Set(services.lazy.filter(isStale).map(\.origin.handle))
        guard !stale.isEmpty else { return [] }
        services.removeAll { stale.contains($0.origin.handle) }
        var changed = Array(stale)
        for place in services.indices
        where services[place].includes?.contains(where: stale.contains) == true {
            services[place].includes?.removeAll(where: stale.contains)
            changed.append(services[place].origin.handle)
        }
        return changed
    }

    /// Changes the characteristic with a value handle. Returns its service.
    private mutating func change(
        _ value: AttributeHandle,
        _ change: (inout Characteristic) -> Void
    ) -> [AttributeHandle] {
        for place in services.indices where services[place].origin.handles.contains(value) {
            let index = services[place].characteristics?.firstIndex {
                $0.origin.valueHandle == value
            }
            guard let index, var characteristic = services[place].characteristics?[index] else {
                continue
            }
            change(&characteristic)
            services[place].characteristics?[index] = characteristic
            return [services[place].origin.handle]
        }
        return []
    }
}

/// Adds found elements to those that are known, and orders all by handle. A known element stays as
/// it is if the found element with its handle is the same.
private func merged<Element>(
    _ known: [Element]?,
    _ found: [Element],
    by handle: (Element) -> AttributeHandle,
    _ isSame: (Element, Element) -> Bool
) -> [Element] {
    var all = Dictionary((known ?? []).map { (handle($0), $0) }, uniquingKeysWith: { $1 })
    for element in found where all[handle(element)].map({ isSame($0, element) }) != true {
        all[handle(element)] = element
    }
    return all.sorted { $0.key < $1.key }.map(\.value)
}
