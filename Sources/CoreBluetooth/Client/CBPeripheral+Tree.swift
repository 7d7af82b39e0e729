// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// Making objects of discovered attributes, on the manager's queue. A known attribute keeps its
// object. A known service that a discovery should have found, but did not, is invalidated.
extension CBPeripheral {
    func merge(_ found: [GATT.Service], _ filter: UUIDFilter) {
        let known = services ?? []
        let gone = known.filter { service in
            filter.admits(service.uuid.value)
                && !found.contains { service.origin?.isSame(as: $0) == true }
        }
        gone.forEach(invalidate)
        let kept = known.filter { service in !gone.contains { $0 === service } }
        let new = found.map(object).filter { service in !kept.contains { $0 === service } }
        let all = (kept + new).sorted(by: \.origin?.handle)
        snapshot.change { $0.tree.services = all }
    }

    func merge(_ found: [GATT.Service], includedIn service: CBService) {
        let known = service.includedServices ?? []
        let new = found.map(object).filter { service in !known.contains { $0 === service } }
        service.setIncludedServices((known + new).sorted(by: \.origin?.handle))
    }

    func merge(_ found: [GATT.Characteristic], into service: CBService) {
        let known = service.characteristics ?? []
        let new = found.filter { found in !known.contains { $0.origin == found } }
            .map { CBCharacteristic($0, of: service) }
        snapshot.change { snapshot in new.forEach { snapshot.tree.keep($0) } }
        service.setCharacteristics((known + new).sorted(by: \.origin?.handle))
    }

    func merge(_ found: [GATT.Descriptor], into characteristic: CBCharacteristic) {
        let known = characteristic.descriptors ?? []
        let new = found.filter { found in !known.contains { $0.origin == found } }
            .map { CBDescriptor($0, of: characteristic) }
        snapshot.change { snapshot in new.forEach { snapshot.tree.keep($0) } }
        characteristic.setDescriptors((known + new).sorted(by: \.origin?.handle))
    }

    /// Returns the object of a service, which is made if there is none.
    func object(of service: GATT.Service) -> CBService {
        if let known = snapshot.read({ $0.tree.service(service.handle) }) {
            if known.origin?.isSame(as: service) == true { return known }
            invalidate(known)
        }
        let new = CBService(service, of: self)
        snapshot.change { $0.tree.keep(new) }
        return new
    }

    /// Invalidates a service that changed. Commands for its object are then refused.
    func invalidate(_ service: CBService) {
        Self.invalidateContents(service)
        snapshot.change { $0.tree.drop(service) }
    }

    private static func invalidateContents(_ service: CBService) {
        service.invalidate()
        for characteristic in service.characteristics ?? [] { characteristic.setNotifying(false) }
    }

    /// Invalidates the services that overlap one of the ranges. Returns them.
    func invalidateServices(in ranges: [ClosedRange<AttributeHandle>]) -> [CBService] {
        let all = snapshot.read { $0.tree.allServices }.sorted(by: \.origin?.handle)
        let stale = all.filter { service in
            guard let handles = service.origin?.handles else { return false }
            return ranges.contains { $0.overlaps(handles) }
        }
        stale.forEach(invalidate)
        return stale
    }

    /// Invalidates all objects, because the link ended.
    func invalidateTree() {
        let all = snapshot.change { snapshot in
            defer { snapshot.tree = ObjectTree() }
            return snapshot.tree.allServices
        }
        all.forEach(Self.invalidateContents)
    }

    /// Marks all characteristics as not notifying. The link ended, and the manager reconnects: the
    /// application has to subscribe again.
    func quietTree() {
        for characteristic in snapshot.read({ $0.tree.allCharacteristics }) {
            characteristic.setNotifying(false)
        }
    }
}

extension Array {
    /// The elements in the order of their handles.
    fileprivate func sorted(by handle: (Element) -> AttributeHandle?) -> [Element] {
        sorted { (handle($0) ?? .invalid) < (handle($1) ?? .invalid) }
    }
}
