// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import JSONText

extension ServedAccessory {
    /// Returns the services in an order in which they can be published: the order of the file, but
    /// each service before the services that include it. Throws if there is no such order, or if a
    /// definition is not valid.
    func orderedForPublication() throws(JSONError) -> [ServedService] {
        var server = GATTServer()
        var ordered: [ServedService] = []
        for index in try publicationOrder() {
            do throws(GATT.DefinitionError) {
                _ = try server.publish(services[index].definition)
            } catch {
                throw JSONError(place: "services[\(index)]", problem: error.problem)
            }
            ordered.append(services[index])
        }
        return ordered
    }

    /// Returns the indices of the services in the order of publication.
    private func publicationOrder() throws(JSONError) -> [Int] {
        var order: [Int] = []
        var remaining = Array(services.indices)
        while let first = remaining.first {
            let next = remaining.firstIndex { index in
                !remaining.contains {
                    $0 != index && services[index].definition.includes(services[$0].definition)
                }
            }
            guard let next else {
                throw JSONError(
                    place: "services[\(first)].includes",
                    problem: "services include each other in a cycle"
                )
            }
            order.append(remaining.remove(at: next))
        }
        return order
    }

    /// Publishes the services on a new server. Returns the server and the published services.
    func publishLocally() throws(GATT.DefinitionError) -> (GATTServer, [GATT.DiscoveredService]) {
        var server = GATTServer()
        server.setGenericAccess(name: name, appearance: appearance)
        server.setSupportsEnhancedBearers(HostConfiguration().servesEnhancedBearers)
        var published: [GATT.DiscoveredService] = []
        for service in services { published.append(try server.publish(service.definition).0) }
        return (server, published)
    }
}

extension GATT.ServiceDefinition {
    fileprivate func includes(_ other: GATT.ServiceDefinition) -> Bool {
        includes.contains { reference in
            switch reference {
            case .uuid(let uuid): uuid == other.uuid
            case .handle(let handle): handle == other.handle
            }
        }
    }
}

extension GATT.DefinitionError {
    /// The problem in the definition, as a message to its author.
    var problem: String {
        switch self {
        case .handleNotFree(let handle):
            "the handle \(handle.rawValue) is taken, or is not above the handle before it"
        case .tableFull: "there are not enough handles for all attributes"
        case .unknownInclude(.uuid(let uuid)):
            "it includes the service \(uuid), which does not exist"
        case .unknownInclude(.handle(let handle)):
            "it includes a service at the handle \(handle.rawValue), and there is none"
        case .valueTooLong(let uuid): "the value of \(uuid) is too long"
        case .duplicateDescriptor(let uuid): "a characteristic has two descriptors \(uuid)"
        case .reserved(let uuid): "the service \(uuid) occurs twice"
        case .notPublished(let handle), .notStored(let handle), .stillIncluded(let handle):
            "there is no value at the handle \(handle.rawValue)"
        }
    }
}
