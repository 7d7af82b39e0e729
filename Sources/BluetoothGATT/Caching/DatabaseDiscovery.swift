// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The discovery of a whole table, in as few requests as ATT allows.
///
/// Declarations are read over all handles at once, instead of service by service: a service costs
/// no request of its own, and the server says only once that there is no more. Descriptors are
/// looked for where they can be, and nowhere else.
///
/// It does not look for secondary services: one that nobody includes has no meaning
/// (Vol 3, Part G, 2.6.1), and an include tells all there is to know of the others.
struct DatabaseDiscovery: Sendable {
    /// What comes after an operation has ended.
    enum Step {
        case start(GATT.Operation)
        case found(GATT.Database)
    }

    private var services: [GATT.Service] = []
    private var includes: [GATT.IncludedService] = []
    private var characteristics: [GATT.Characteristic] = []

    /// The operation that comes first.
    static let firstOperation = GATT.Operation.discoverPrimaryServices(uuid: nil)

    /// Takes in how the operation ended that was to be started last.
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
            throw .protocolViolation("a discovery ended in something else")
        }
    }

    /// Adds the services that are known only because others include them: secondary ones.
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

    /// The service that an attribute lies in; nil if it lies in none that is known.
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

    /// A characteristic ends with its service, which a search over all handles does not know.
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

    /// Puts the parts together. All of them are in the order of their handles.
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
            throw .protocolViolation("attribute \(fault) lies where it cannot")
        }
        return GATT.Database(checked: entries)
    }
}

extension ArraySlice {
    /// Takes the elements of these handles off the front, and drops those of handles before.
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
