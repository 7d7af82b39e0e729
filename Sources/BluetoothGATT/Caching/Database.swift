// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// The table of a server as a client knows it: every service with what is in it, by handle, and
    /// no values (Vol 3, Part G, 2.6 and 3).
    ///
    /// A value to look things up in. It says how the table was when it was discovered; whether it
    /// still is, its owner has to know (Vol 3, Part G, 2.5.2).
    public struct Database: Hashable, Sendable {
        /// All services in the order of their handles, none within another: the primary ones, and
        /// those secondary ones that are included somewhere.
        public let services: [DiscoveredService]

        /// Makes the table of services that have been checked by `fault(of:)`.
        init(checked services: [DiscoveredService]) {
            self.services = services
        }

        /// Every characteristic, in the order of handles.
        public var characteristics: some Sequence<DiscoveredCharacteristic> {
            services.lazy.flatMap(\.characteristics)
        }

        /// The first service with this UUID; nil if there is none.
        public func service(_ uuid: BluetoothUUID) -> DiscoveredService? {
            services.first { $0.service.uuid == uuid }
        }

        /// The first characteristic with this UUID, in any service or in the first with
        /// `serviceUUID`; nil if there is none.
        public func characteristic(
            _ uuid: BluetoothUUID,
            in serviceUUID: BluetoothUUID? = nil
        ) -> DiscoveredCharacteristic? {
            guard let serviceUUID else {
                return characteristics.first { $0.characteristic.uuid == uuid }
            }
            return service(serviceUUID)?.characteristic(uuid)
        }

        /// The characteristic whose value has this handle; nil if there is none.
        public func characteristic(valueHandle: AttributeHandle) -> DiscoveredCharacteristic? {
            characteristics.first { $0.valueHandle == valueHandle }
        }
    }

    /// A service of a peer, with what is in it.
    public struct DiscoveredService: Hashable, Sendable {
        /// What the service is, and where.
        public let service: Service

        /// The services that it refers to, in the order of the references.
        public let includes: [IncludedService]

        /// Its characteristics, in the order of their handles.
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

        /// The first characteristic with this UUID; nil if there is none.
        public func characteristic(_ uuid: BluetoothUUID) -> DiscoveredCharacteristic? {
            characteristics.first { $0.characteristic.uuid == uuid }
        }
    }

    /// A characteristic of a peer, with its descriptors.
    public struct DiscoveredCharacteristic: Hashable, Sendable {
        /// What the characteristic is, and where.
        public let characteristic: Characteristic

        /// Its descriptors, in the order of their handles.
        public let descriptors: [Descriptor]

        package init(characteristic: Characteristic, descriptors: [Descriptor] = []) {
            self.characteristic = characteristic
            self.descriptors = descriptors
        }

        /// The handle to read and write.
        public var valueHandle: AttributeHandle { characteristic.valueHandle }

        /// The first descriptor with this UUID; nil if there is none.
        public func descriptor(_ uuid: BluetoothUUID) -> Descriptor? {
            descriptors.first { $0.uuid == uuid }
        }
    }
}

// What every table keeps to, so that whoever walks through one need not look twice.
extension GATT.Database {
    /// Makes a table; nil if its parts do not lie within each other, and each after the one before.
    package init?(services: [GATT.DiscoveredService]) {
        guard Self.fault(of: services) == nil else { return nil }
        self.init(checked: services)
    }

    /// The handle of the first attribute that lies where it cannot; nil if there is none.
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
