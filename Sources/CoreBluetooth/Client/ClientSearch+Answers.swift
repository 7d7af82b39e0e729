// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// Searches are answered from the peripheral's attribute table, which the host discovers once and
// keeps. If the peripheral does not allow reading its table, a GATT procedure discovers the part
// that the search is for.
extension ClientSearch {
    /// Returns the result of the search in a table.
    func answer(in table: GATT.Database) -> PeripheralEvent {
        switch self {
        case .services(let filter):
            return answer(services: table.services.map(\.service), filter)
        case .includedServices(let filter, let service):
            guard let entry = table.entry(of: service) else { return failed(Self.staleness) }
            return answer(included: entry.includes, filter, of: service)
        case .characteristics(let filter, let service):
            guard let entry = table.entry(of: service) else { return failed(Self.staleness) }
            return answer(
                characteristics: entry.characteristics.map(\.characteristic),
                filter,
                of: service
            )
        case .descriptors(let characteristic):
            let handle = characteristic.valueHandle
            guard let entry = table.characteristic(valueHandle: handle) else {
                return failed(Self.staleness)
            }
            return .descriptorsFound(of: handle, .success(entry.descriptors))
        }
    }

    /// Returns the result of the search in the outcome of `operation`. `nil` if the outcome is not
    /// of its kind.
    func answer(to outcome: GATT.Outcome) -> PeripheralEvent? {
        switch (self, outcome) {
        case (.services(let filter), .services(let services)):
            answer(services: services, filter)
        case (.includedServices(let filter, let service), .includedServices(let included)):
            answer(included: included, filter, of: service)
        case (.characteristics(let filter, let service), .characteristics(let found)):
            answer(characteristics: found, filter, of: service)
        case (.descriptors(let characteristic), .descriptors(let found)):
            .descriptorsFound(of: characteristic.valueHandle, .success(found))
        default: nil
        }
    }

    /// Returns the event for a search that failed.
    func failed(_ error: any Error) -> PeripheralEvent {
        switch self {
        case .services(let filter): .servicesFound(filter, .failure(error))
        case .includedServices(let filter, let service):
            .includedServicesFound(filter, of: service.handle, .failure(error))
        case .characteristics(let filter, let service):
            .characteristicsFound(filter, of: service.handle, .failure(error))
        case .descriptors(let characteristic):
            .descriptorsFound(of: characteristic.valueHandle, .failure(error))
        }
    }

    /// The procedure for a peripheral whose table cannot be read. `nil` if no handles are left in
    /// which the result could be.
    var operation: GATT.Operation? {
        switch self {
        case .services: .discoverPrimaryServices(uuid: nil)
        case .includedServices(_, let service):
            .findIncludedServices(first: service.handle, last: service.endHandle)
        case .characteristics(_, let service):
            .discoverCharacteristics(first: service.handle, last: service.endHandle, uuid: nil)
        case .descriptors(let characteristic):
            characteristic.descriptorHandles.map {
                .discoverDescriptors(first: $0.lowerBound, last: $0.upperBound)
            }
        }
    }

    /// The error for an attribute that is no longer in the table.
    static var staleness: CBError { CBError(delivering: .invalidHandle) }

    private func answer(services: [GATT.Service], _ filter: UUIDFilter) -> PeripheralEvent {
        let found = services.filter {
            $0.isPrimary && filter.admits($0.uuid) && !HiddenServices.contains($0.uuid)
        }
        return .servicesFound(filter, .success(found))
    }

    private func answer(
        included: [GATT.IncludedService],
        _ filter: UUIDFilter,
        of service: GATT.Service
    ) -> PeripheralEvent {
        let found = included.map(\.service).filter {
            filter.admits($0.uuid) && !HiddenServices.contains($0.uuid)
        }
        return .includedServicesFound(filter, of: service.handle, .success(found))
    }

    private func answer(
        characteristics: [GATT.Characteristic],
        _ filter: UUIDFilter,
        of service: GATT.Service
    ) -> PeripheralEvent {
        let found = characteristics.filter { filter.admits($0.uuid) }
        return .characteristicsFound(filter, of: service.handle, .success(found))
    }
}

extension GATT.Database {
    fileprivate func entry(of service: GATT.Service) -> GATT.DiscoveredService? {
        services.first { $0.service.isSame(as: service) }
    }
}

extension GATT.Service {
    /// Returns whether both services have the same UUID and handles. `isPrimary` is not compared,
    /// because an include declaration does not contain it.
    func isSame(as other: GATT.Service) -> Bool {
        uuid == other.uuid && handles == other.handles
    }
}
