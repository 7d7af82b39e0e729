// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import JSONReading

extension ServedAccessory {
    /// The services in an order in which they can be published: as they are in the file, but that
    /// a service comes before those that include it. Throws where a file asks for a table that
    /// cannot be.
    func orderedForPublication() throws(JSONError) -> [ServedService] {
        var server = GATTServer()
        var ordered: [ServedService] = []
        for index in try publicationOrder() {
            do throws(GATT.DefinitionError) {
                _ = try server.publish(services[index].definition)
            } catch {
                throw JSONError(place: "services[\(index)]", complaint: error.complaint)
            }
            ordered.append(services[index])
        }
        return ordered
    }

    /// Where in the file the services are, in the order in which they are to be published.
    private func publicationOrder() throws(JSONError) -> [Int] {
        var order: [Int] = []
        var remaining = Array(services.indices)
        while let first = remaining.first {
            let next = remaining.firstIndex { index in
                !remaining.contains { $0 != index && services[index].includes(services[$0]) }
            }
            guard let next else {
                throw JSONError(
                    place: "services[\(first)].includes",
                    complaint: "services include each other in a circle"
                )
            }
            order.append(remaining.remove(at: next))
        }
        return order
    }

    /// The table that a server makes of the services, and what is published; the values in it are
    /// those that are there at the beginning.
    func rehearse() throws(GATT.DefinitionError) -> (GATTServer, [GATT.PublishedService]) {
        var server = GATTServer()
        server.setGenericAccess(name: name, appearance: appearance)
        server.setSupportsEnhancedBearers(HostConfiguration().servesEnhancedBearers)
        var published: [GATT.PublishedService] = []
        for service in services { published.append(try server.publish(service.definition).0) }
        return (server, published)
    }
}

extension ServedService {
    fileprivate func includes(_ other: ServedService) -> Bool {
        includes.contains { reference in
            switch reference {
            case .uuid(let uuid): uuid == other.uuid
            case .handle(let handle): handle == other.handle
            }
        }
    }
}

extension GATT.DefinitionError {
    /// What is wrong, for a person who wrote the definition.
    var complaint: String {
        switch self {
        case .handleNotFree(let handle):
            "the handle \(handle.rawValue) is taken, or not after the one before it"
        case .tableFull: "there are not enough handles for all of this"
        case .unknownInclude(.uuid(let uuid)): "no service is \(uuid), which it includes"
        case .unknownInclude(.handle(let handle)):
            "no service has the handle \(handle.rawValue), which it includes"
        case .valueTooLong(let uuid): "the value of \(uuid) is too long"
        case .duplicateDescriptor(let uuid): "a characteristic has \(uuid) twice"
        case .reserved(let uuid): "\(uuid) is there twice"
        case .notPublished(let handle), .notStored(let handle), .stillIncluded(let handle):
            "there is no value at the handle \(handle.rawValue)"
        }
    }
}
