// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The discovery of a database with few requests.
///
/// The discovery reads declarations over all handles instead of service by service. A service then
/// costs no request of its own, and the server reports the end of the range only once for each kind
/// of declaration. Each request for descriptors starts at a handle that a descriptor can have.
///
/// The discovery does not search for secondary services. A secondary service to which no include
/// refers has no use (Vol 3, Part G, 2.6.1), and the include declarations describe all others
/// completely.
struct DatabaseDiscovery: Sendable {
    enum Step {
        case start(GATT.Operation)
        case found(GATT.Database)
    }

    private var services: [GATT.Service] = []
    private var includes: [GATT.IncludedService] = []
    private var characteristics: [GATT.Characteristic] = []

    static let firstOperation = GATT.Operation.discoverPrimaryServices(uuid: nil)

    /// Processes the outcome of the previous operation.
    mutating func take(_ outcome: GATT.Outcome) throws(GATT.Failure) -> Step {
        switch outcome {
        case .services(let found):
            services = found
            return found.isEmpty
                ? .found(GATT.Database(checked: []))
                : .start(.findIncludedServices(first: .first, last: .last))
        case .includedServices(let found):
            includes = found
            addIncludedServices()
            return .start(.discoverCharacteristics(first: .first, last: .last, uuid: nil))
        case .characteristics(let found):
            characteristics = found.compactMap(cutToService)
            let gaps = characteristics.compactMap(\.descriptorHandles)
            return gaps.isEmpty ? .found(try database([])) : .start(.discoverAllDescriptors(gaps))
        case .descriptors(let found):
            return .found(try database(found))
        default:
            throw .protocolViolation("a discovery had an unexpected outcome")
        }
    }

    /// Adds the services that only the includes mention, which are secondary ones.
    private mutating func addIncludedServices() {
        var known = Set(services.map(\.handle))
        for include in includes where known.insert(include.service.handle).inserted {
            services.append(
                .init(
                    uuid: include.service.uuid,
                    isPrimary: false,
                    handle: include.service.handle,
                    endHandle: include.service.endHandle
                )
            )
        }
        services.sort { $0.handle < $1.handle }
    }

    /// Returns the service that contains an attribute, or `nil` if no known service does.
    private func service(of handle: AttributeHandle) -> GATT.Service? {
        var low = 0
        var high = services.count
        while low < high {
            let middle = (low + high) / 2
            if services[middle].handle <= handle { low = middle + 1 } else { high = middle }
        }
        guard low > 0, services[low - 1].endHandle >= handle else { return nil }
        return services[low - 1]
    }

    /// Limits a characteristic to its service. A search over all handles does not end
    /// characteristics at the end of their service. Returns `nil` for a characteristic outside of
    /// the known services.
    private func cutToService(_ found: GATT.Characteristic) -> GATT.Characteristic? {
        guard let service = service(of: found.handle), found.valueHandle <= service.endHandle
        else { return nil }
        return GATT.Characteristic(
            uuid: found.uuid,
            handle: found.handle,
            valueHandle: found.valueHandle,
            properties: found.properties,
            endHandle: min(found.endHandle, service.endHandle)
        )
    }

    /// Combines the services, includes, characteristics and descriptors into a database. Each list
    /// is in the order of the handles.
    private func database(
        _ descriptors: [GATT.Descriptor]
    ) throws(GATT.Failure) -> GATT.Database {
        let byHandle = Dictionary(services.map { ($0.handle, $0) }) { first, _ in first }
        var includes = includes[...]
        var characteristics = characteristics[...]
        var descriptors = descriptors[...]
        let entries = services.map { service in
            GATT.DiscoveredService(
                service: service,
                includes: includes.take(in: service.handles, at: \.handle).map { include in
                    let referred = byHandle[include.service.handle] ?? include.service
                    return .init(handle: include.handle, service: referred)
                },
                characteristics: characteristics.take(in: service.handles, at: \.handle).map {
                    .init(
                        characteristic: $0,
                        descriptors: descriptors.take(
                            in: $0.handle...$0.endHandle,
                            at: \.handle
                        )
                    )
                }
            )
        }
        if let fault = GATT.Database.fault(of: entries) {
            throw .protocolViolation(
                "attribute \(fault) is outside of its service, or overlaps another"
            )
        }
        return GATT.Database(checked: entries)
    }
}

extension ArraySlice {
    /// Removes and returns the elements at the front with these handles, and drops those with
    /// smaller handles.
    fileprivate mutating func take(
        in handles: ClosedRange<AttributeHandle>,
        at handle: (Element) -> AttributeHandle
    ) -> [Element] {
        self = drop { handle($0) < handles.lowerBound }
        let taken = prefix { handle($0) <= handles.upperBound }
        self = dropFirst(taken.count)
        return Array(taken)
    }
}
