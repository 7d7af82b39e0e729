// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

/// The attributes of a database file, made without an adapter.
struct DatabaseListing: Sendable {
    private let accessory: ServedAccessory
    private let server: GATTServer
    private let values: ServedValues

    /// Publishes the accessory on a server without clients. Throws if the database is not valid.
    init(_ accessory: ServedAccessory) throws(ProgramFailure) {
        self.accessory = accessory
        do throws(GATT.DefinitionError) {
            let (server, services) = try accessory.publishLocally()
            self.server = server
            values = ServedValues(Array(zip(accessory.services, services)))
        } catch {
            throw ProgramFailure(.badData, "the database is not valid: \(error.problem)")
        }
    }

    /// The services that a client without security finds, in the form that `explore` prints.
    var exploration: Exploration {
        Exploration(
            address: DeviceAddress(value: 0, kind: .public),
            name: accessory.name,
            mtu: ATT.defaultMTU,
            services: server.database.services.map(explore)
        )
    }

    private func explore(_ service: GATT.Service) -> Exploration.Service {
        let attributes = server.database.attributes(in: service.handles)
        var result = Exploration.Service(
            uuid: service.uuid,
            isPrimary: service.isPrimary,
            handle: service.handle.rawValue,
            endHandle: service.endHandle.rawValue
        )
        var index = attributes.startIndex
        while index < attributes.endIndex {
            let attribute = attributes[index]
            index += 1
            switch attribute.type {
            case GATT.AttributeType.primaryService, GATT.AttributeType.secondaryService: continue
            case GATT.AttributeType.include:
                include(attribute).map { result.includes.append($0) }
            case GATT.AttributeType.characteristic where index < attributes.endIndex:
                result.characteristics.append(explore(attribute, attributes[index]))
                index += 1
            default:
                guard !result.characteristics.isEmpty else { continue }
                let descriptor = Exploration.Descriptor(
                    uuid: attribute.type,
                    handle: attribute.handle.rawValue,
                    value: value(of: attribute)
                )
                result.characteristics[result.characteristics.count - 1].descriptors
                    .append(descriptor)
            }
        }
        return result
    }

    /// Returns the characteristic with this declaration and this value attribute. The declaration
    /// begins with the properties (Vol 3, Part G, 3.3.1).
    private func explore(
        _ declaration: Attribute,
        _ attribute: Attribute
    ) -> Exploration.Characteristic {
        let bytes = Self.bytes(of: declaration)
        let properties = GATT.CharacteristicProperties(rawValue: bytes.first ?? 0)
        return Exploration.Characteristic(
            uuid: attribute.type,
            handle: declaration.handle.rawValue,
            valueHandle: attribute.handle.rawValue,
            properties: properties,
            value: properties.contains(.read) ? value(of: attribute) : .notReadable
        )
    }

    /// Returns the included service of an include declaration, which has two handles and, for a
    /// 16-bit UUID, the UUID (Vol 3, Part G, 3.2).
    private func include(_ attribute: Attribute) -> Exploration.Include? {
        let bytes = Self.bytes(of: attribute)
        guard bytes.count >= 4 else { return nil }
        let first = AttributeHandle(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        guard let service = server.database.service(at: first) else { return nil }
        return Exploration.Include(
            handle: attribute.handle.rawValue,
            uuid: service.uuid,
            serviceHandle: service.handle.rawValue,
            serviceEndHandle: service.endHandle.rawValue
        )
    }

    /// Returns the result of a read by a client without security.
    private func value(of attribute: Attribute) -> Exploration.Value {
        let refusal =
            attribute.permissions.read.map { $0.refusal(of: .none, isAuthorized: false) }
            ?? .readNotPermitted
        if let refusal { return .refused("\(refusal)") }
        return .bytes(
            values.value(of: attribute.handle) ?? Self.bytes(of: attribute, server.database.hash)
        )
    }

    private static func bytes(of attribute: Attribute, _ hash: [UInt8] = []) -> [UInt8] {
        switch attribute.value {
        case .fixed(let bytes), .stored(let bytes, _): bytes
        case .clientConfiguration: [0, 0]
        case .clientSupportedFeatures: [0]
        case .databaseHash: hash
        case .dynamic: []
        }
    }
}

/// A reader of database files.
enum DatabaseFile {
    private static let file = JSONFile(subject: "database", manual: "docs/SERVING.md")

    /// Reads the file; throws `ProgramFailure`.
    static func read(_ path: String) throws(ProgramFailure) -> ServedAccessory {
        try file.read(path) { text throws(JSONError) in try ServedAccessory(parsing: text) }
    }
}
