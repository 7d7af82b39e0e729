// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Searches are answered from the peripheral's database, which the host discovers and keeps. If the
// peripheral does not allow reading its database, a GATT procedure discovers the part that the
// search is for.
extension ClientSearch {
    /// Returns the result of the search in a database.
    func answer(in table: GATT.Database) -> RemoteEvent {
        contents(of: table).map(answer) ?? .found(self, .failure(Self.staleness))
    }

    private func contents(of table: GATT.Database) -> GATT.Outcome? {
        switch self {
        case .services: .services(table.services.map(\.service))
        case .includedServices(_, let service):
            table.entry(of: service).map { .includedServices($0.includes) }
        case .characteristics(_, let service):
            table.entry(of: service).map {
                .characteristics($0.characteristics.map(\.characteristic))
            }
        case .descriptors(let characteristic):
            table.characteristic(valueHandle: characteristic.valueHandle)
                .map { .descriptors($0.descriptors) }
        }
    }

    /// Returns the result of the search in the outcome of `operation`, or in the same part of the
    /// database.
    func answer(to outcome: GATT.Outcome) -> RemoteEvent {
        let found: GATT.Outcome =
            switch (self, outcome) {
            case (.services(let filter), .services(let services)):
                .services(services.filter { $0.isPrimary && filter.admitsVisible($0) })
            case (.includedServices(let filter, _), .includedServices(let included)):
                .includedServices(included.filter { filter.admitsVisible($0.service) })
            case (.characteristics(let filter, _), .characteristics(let characteristics)):
                .characteristics(characteristics.filter { filter.admits($0.uuid) })
            default: outcome
            }
        return .found(self, .success(found))
    }

    /// The procedure for a peripheral whose database cannot be read; `nil` for the descriptors of a
    /// characteristic that has no handles for them.
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

    /// The error for an attribute that is no longer in the database.
    static var staleness: ClientError { ClientError.failed(.invalidHandle) }
}

extension UUIDFilter {
    fileprivate func admitsVisible(_ service: GATT.Service) -> Bool {
        admits(service.uuid) && !HiddenServices.contains(service.uuid)
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
    package func isSame(as other: GATT.Service) -> Bool {
        uuid == other.uuid && handles == other.handles
    }
}
