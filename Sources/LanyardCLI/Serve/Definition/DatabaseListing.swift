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
        let database = server.database
        var exploration = Exploration(
            address: DeviceAddress(value: 0, kind: .public),
            name: accessory.name,
            mtu: ATT.defaultMTU,
            services: database.services.map(database.discovered)
        )
        for discovered in exploration.services.flatMap(\.characteristics) {
            for attribute in discovered.readableHandles.compactMap(database.attribute) {
                exploration.values[attribute.handle] = self.value(of: attribute)
            }
        }
        return exploration
    }

    /// Returns the result of a read by a client without security.
    private func value(of attribute: Attribute) -> Exploration.Value {
        let refusal =
            attribute.permissions.read.map { $0.refusal(of: .none, isAuthorized: false) }
            ?? .readNotPermitted
        if let refusal { return .refused("\(refusal)") }
        if let bytes = values.value(of: attribute.handle) { return .bytes(bytes) }
        return switch attribute.value {
        case .fixed(let bytes), .stored(let bytes, _): .bytes(bytes)
        case .clientConfiguration: .bytes([0, 0])
        case .clientSupportedFeatures: .bytes([0])
        case .databaseHash: .bytes(server.database.hash)
        case .dynamic: .bytes([])
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
