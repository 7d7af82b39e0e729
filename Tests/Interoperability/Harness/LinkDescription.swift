// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The result of a link's discovery in the format in which accessories describe themselves.
struct LinkDescription {
    let link: Link

    /// Returns all services in the order of their handles, with their content.
    func services() async throws -> JSON {
        let primary = try await link.discoverServices()
        let secondary = try await link.discoverSecondaryServices()
        var described: [JSON] = []
        for service in (primary + secondary).sorted(by: { $0.handle < $1.handle }) {
            described.append(try await describe(service))
        }
        return .array(described)
    }

    private func describe(_ service: GATT.Service) async throws -> JSON {
        let includes = try await link.discoverIncludedServices(of: service)
        var characteristics: [JSON] = []
        for characteristic in try await link.discoverCharacteristics(of: service) {
            characteristics.append(try await describe(characteristic))
        }
        return .object([
            "uuid": .string("\(service.uuid)"),
            "primary": .boolean(service.isPrimary),
            "handle": .number(service.handle),
            "endHandle": .number(service.endHandle),
            "includes": .array(includes.map(describe)),
            "characteristics": .array(characteristics),
        ])
    }

    private func describe(_ included: GATT.IncludedService) -> JSON {
        .object([
            "uuid": .string("\(included.service.uuid)"),
            "handle": .number(included.handle),
            "serviceHandle": .number(included.service.handle),
            "serviceEndHandle": .number(included.service.endHandle),
        ])
    }

    private func describe(_ characteristic: GATT.Characteristic) async throws -> JSON {
        var members: [String: JSON] = [
            "uuid": .string("\(characteristic.uuid)"),
            "handle": .number(characteristic.handle),
            "valueHandle": .number(characteristic.valueHandle),
            "properties": .array(characteristic.properties.names.map(JSON.string)),
            "value": .null,
        ]
        if characteristic.properties.contains(.read) {
            members.merge(try await value(of: characteristic.valueHandle)) { $1 }
        }
        var descriptors: [JSON] = []
        for descriptor in try await link.discoverDescriptors(of: characteristic) {
            let members: [String: JSON] = [
                "uuid": .string("\(descriptor.uuid)"), "handle": .number(descriptor.handle),
            ]
            descriptors.append(
                .object(members.merging(try await value(of: descriptor.handle)) { $1 })
            )
        }
        members["descriptors"] = .array(descriptors)
        return .object(members)
    }

    private func value(of handle: AttributeHandle) async throws -> [String: JSON] {
        do {
            return ["value": .string(try await link.readLong(handle).hexadecimal)]
        } catch GATT.Failure.attribute(let code, _) {
            return ["value": .null, "error": .string("\(code)")]
        }
    }
}

extension JSON {
    fileprivate static func number(_ handle: AttributeHandle) -> JSON {
        .number(Double(handle.rawValue))
    }
}

extension GATT.CharacteristicProperties {
    fileprivate var names: [String] {
        let all: [(GATT.CharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"),
            (.writeWithoutResponse, "writeWithoutResponse"), (.write, "write"),
            (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "authenticatedSignedWrites"),
            (.extendedProperties, "extendedProperties"),
        ]
        return all.compactMap { contains($0.0) ? $0.1 : nil }
    }
}
