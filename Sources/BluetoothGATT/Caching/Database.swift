// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// The database of a server as a client knows it: services and their contents in the order of
    /// their handles, without values (Vol 3, Part G, 2.6 and 3).
    ///
    /// The database is a value that describes the state at the time of discovery. Its owner must
    /// determine whether it is still valid (Vol 3, Part G, 2.5.2).
    public struct Database: Hashable, Sendable {
        /// All services in the order of their handles, without overlap: the primary services and
        /// the included secondary services.
        public let services: [DiscoveredService]

        /// Creates a database from services that `fault(of:)` has checked.
        init(checked services: [DiscoveredService]) {
            self.services = services
        }

        /// All characteristics in the order of their handles.
        public var characteristics: some Sequence<DiscoveredCharacteristic> {
            services.lazy.flatMap(\.characteristics)
        }

        /// Returns the first service with this UUID, or `nil` if there is none.
        public func service(_ uuid: BluetoothUUID) -> DiscoveredService? {
            services.first { $0.service.uuid == uuid }
        }

        /// Returns the first characteristic with this UUID, or `nil` if there is none.
        ///
        /// - Parameters:
        ///   - uuid: The UUID of the characteristic.
        ///   - serviceUUID: The UUID of the service to search. If several services have it, the
        ///     first is searched. `nil` searches all services.
        public func characteristic(
            _ uuid: BluetoothUUID,
            in serviceUUID: BluetoothUUID? = nil
        ) -> DiscoveredCharacteristic? {
            guard let serviceUUID else {
                return characteristics.first { $0.characteristic.uuid == uuid }
            }
            return service(serviceUUID)?.characteristic(uuid)
        }

        /// Returns the handle ranges of the services that another database lacks, or contains with
        /// other attributes.
        func handlesOfServices(missingIn other: Database) -> [ClosedRange<AttributeHandle>] {
            let kept = Set(other.services)
            return services.filter { !kept.contains($0) }.map(\.service.handles)
        }

        /// Returns the characteristic whose value has this handle, or `nil` if there is none.
        public func characteristic(valueHandle: AttributeHandle) -> DiscoveredCharacteristic? {
            characteristics.first { $0.valueHandle == valueHandle }
        }
    }

    /// A service with its contents, as a client discovers it.
    public struct DiscoveredService: Hashable, Sendable {
        /// The service's UUID and handles.
        public let service: Service

        /// The services to which the service refers, in the order of the references.
        public let includes: [IncludedService]

        /// The characteristics, in the order of their handles.
        public let characteristics: [DiscoveredCharacteristic]

        package init(
            service: Service,
            includes: [IncludedService] = [],
            characteristics: [DiscoveredCharacteristic] = []
        ) {
            self.service = service
            self.includes = includes
            self.characteristics = characteristics
        }

        /// Returns the first characteristic with this UUID, or `nil` if there is none.
        public func characteristic(_ uuid: BluetoothUUID) -> DiscoveredCharacteristic? {
            characteristics.first { $0.characteristic.uuid == uuid }
        }
    }

    /// A characteristic with its descriptors, as a client discovers it.
    public struct DiscoveredCharacteristic: Hashable, Sendable {
        /// The characteristic's UUID, handles and properties.
        public let characteristic: Characteristic

        /// The descriptors, in the order of their handles.
        public let descriptors: [Descriptor]

        package init(characteristic: Characteristic, descriptors: [Descriptor] = []) {
            self.characteristic = characteristic
            self.descriptors = descriptors
        }

        /// The handle of the value, for reading and writing.
        public var valueHandle: AttributeHandle { characteristic.valueHandle }

        /// Returns the first descriptor with this UUID, or `nil` if there is none.
        public func descriptor(_ uuid: BluetoothUUID) -> Descriptor? {
            descriptors.first { $0.uuid == uuid }
        }
    }
}

// The checks of a new database, so that code that traverses a database does not repeat them.
extension GATT.Database {
    /// Creates a database. Returns `nil` if an attribute lies outside of its service or
    /// characteristic, or if the order is not that of the handles.
    package init?(services: [GATT.DiscoveredService]) {
        guard Self.fault(of: services) == nil else { return nil }
        self.init(checked: services)
    }

    /// Returns the handle of the first attribute with an impossible position, or `nil` if there is
    /// none.
    static func fault(of services: [GATT.DiscoveredService]) -> AttributeHandle? {
        var last = AttributeHandle.invalid
        for entry in services {
            guard entry.service.handle > last else { return entry.service.handle }
            if let fault = entry.fault { return fault }
            last = entry.service.endHandle
        }
        return nil
    }
}

extension GATT.DiscoveredService {
    fileprivate var fault: AttributeHandle? {
        var last = service.handle
        for include in includes {
            guard include.handle > last, include.handle <= service.endHandle else {
                return include.handle
            }
            last = include.handle
        }
        last = service.handle
        for entry in characteristics {
            let characteristic = entry.characteristic
            guard characteristic.handle > last, characteristic.endHandle <= service.endHandle
            else { return characteristic.handle }
            if let fault = entry.fault { return fault }
            last = characteristic.endHandle
        }
        return nil
    }
}

extension GATT.DiscoveredCharacteristic {
    fileprivate var fault: AttributeHandle? {
        var last = characteristic.valueHandle
        for descriptor in descriptors {
            guard descriptor.handle > last, descriptor.handle <= characteristic.endHandle else {
                return descriptor.handle
            }
            last = descriptor.handle
        }
        return nil
    }
}
