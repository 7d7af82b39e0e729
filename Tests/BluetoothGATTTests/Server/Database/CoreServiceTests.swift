// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Core services of a server")
struct CoreServiceTests {
    typealias Service = GATT.ServiceDefinition
    typealias Characteristic = GATT.CharacteristicDefinition

    static let uuid = BluetoothUUID(0xFF00)
    static let bearer = GATTServer.BearerID(client: .init(rawValue: 1), channel: 4)

    static func value(_ type: UInt16, in server: GATTServer) -> [UInt8]? {
        let attribute = server.database.attributes.first { $0.type == BluetoothUUID(type) }
        return attribute.flatMap { server.value(of: $0, for: .init(rawValue: 1)) }
    }

    @Test("The core services exist from the start, at the first handles")
    func fromTheBeginning() {
        let server = GATTServer()
        #expect(
            server.database.services.map(\.uuid) == [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]
        )
        #expect(server.database.attributes.first?.handle == .first)
        #expect(
            server.database.attributes.map(\.type)
                == [
                    0x2800, 0x2803, 0x2A00, 0x2803, 0x2A01, 0x2803, 0x2A04,
                    0x2800, 0x2803, 0x2A05, 0x2902, 0x2803, 0x2B29, 0x2803, 0x2B2A, 0x2803, 0x2B3A,
                ].map { BluetoothUUID($0) }
        )
    }

    @Test("Name, appearance and preferred parameters change without moving a handle")
    func genericAccess() {
        var server = GATTServer()
        let hash = server.database.hash
        server.setGenericAccess(
            name: "Strap",
            appearance: 0x0341,
            preferred: [6, 0, 12, 0, 0, 0, 100, 0]
        )
        #expect(Self.value(0x2A00, in: server) == Array("Strap".utf8))
        #expect(Self.value(0x2A01, in: server) == [0x41, 0x03])
        #expect(Self.value(0x2A04, in: server) == [6, 0, 12, 0, 0, 0, 100, 0])
        #expect(server.database.hash == hash)
        server.setGenericAccess(name: "Strap", preferred: [1, 2, 3])
        #expect(Self.value(0x2A04, in: server) == [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
    }

    @Test("A long name is truncated between two characters")
    func longName() {
        var server = GATTServer()
        server.setGenericAccess(name: String(repeating: "ü", count: 200))
        #expect(Self.value(0x2A00, in: server)?.count == 248)
        server.setGenericAccess(name: "x" + String(repeating: "ü", count: 200))
        #expect(Self.value(0x2A00, in: server)?.count == 247)
    }

    @Test("Server Supported Features indicate support for enhanced bearers")
    func serverFeatures() {
        var server = GATTServer()
        #expect(Self.value(0x2B3A, in: server) == [0])
        server.setSupportsEnhancedBearers(true)
        #expect(Self.value(0x2B3A, in: server) == [1])
    }

    @Test("The core services move if a definition needs their handles")
    func makingWay() throws {
        var server = GATTServer()
        server.setGenericAccess(name: "Way")
        let definition = Service(Self.uuid, [Characteristic(Self.uuid, .read)], handle: .first)
        #expect(try server.publish(definition).0.service.handle == .first)
        #expect(
            server.database.services.map(\.uuid) == [
                Self.uuid, BluetoothUUID(0x1800), BluetoothUUID(0x1801),
            ]
        )
        let far = Service(Self.uuid, [], handle: AttributeHandle(5))
        #expect(try server.publish(far).0.service.handle == AttributeHandle(5))
        #expect(server.database.services.map(\.handle.rawValue).prefix(3) == [1, 5, 6])
        #expect(Self.value(0x2A00, in: server) == Array("Way".utf8))
    }

    @Test("A definition of a core service replaces that service, and the other core service stays")
    func replacing() throws {
        var server = GATTServer()
        let own = Service(
            BluetoothUUID(0x1800),
            [Characteristic(BluetoothUUID(0x2A00), .read, value: .stored([0x41]))],
            handle: AttributeHandle(0x0020)
        )
        _ = try server.publish(own)
        #expect(Self.value(0x2A00, in: server) == [0x41])
        #expect(server.database.services.map(\.handle.rawValue) == [0x0008, 0x0020])
        server.setGenericAccess(name: "Ignored")
        #expect(Self.value(0x2A00, in: server) == [0x41])
        #expect(throws: GATT.DefinitionError.reserved(BluetoothUUID(0x1800))) {
            try server.publish(own)
        }
    }

    @Test(
        "A whole database can be published with explicit handles in different orders",
        arguments: [[0, 1, 2, 3], [2, 3, 1, 0], [2, 1, 0, 3], [1, 2, 3, 0]]
    )
    func wholeTable(_ order: [Int]) throws {
        var server = GATTServer()
        for index in order { _ = try server.publish(DatabaseHashTests.sample[index]) }
        #expect(server.database.attributes.map(\.handle.rawValue) == Array(1...22))
    }

    @Test("The core services keep their handles once a client has connected")
    func staying() throws {
        var server = GATTServer()
        server.open(Self.bearer, security: .none, mtu: 23)
        #expect(throws: GATT.DefinitionError.handleNotFree(.first)) {
            try server.publish(Service(Self.uuid, [], handle: .first))
        }
        #expect(throws: GATT.DefinitionError.reserved(BluetoothUUID(0x1801))) {
            try server.publish(Service(BluetoothUUID(0x1801), []))
        }
    }

    @Test("The core services cannot be removed, and return if a replacement is removed")
    func takingAway() throws {
        var server = GATTServer()
        #expect(throws: GATT.DefinitionError.reserved(BluetoothUUID(0x1800))) {
            try server.unpublish(.first)
        }
        let own = try server.publish(Service(BluetoothUUID(0x1801), [])).0.service
        #expect(Self.value(0x2B2A, in: server) == nil)
        _ = try server.unpublish(own.handle)
        #expect(Self.value(0x2B2A, in: server) == server.database.hash)
    }

    @Test("Only values that the server stores can be set")
    func settingValues() throws {
        var server = GATTServer()
        let service = try server.publish(
            Service(
                Self.uuid,
                [
                    Characteristic(Self.uuid, .read, value: .stored([1], maximumLength: 2)),
                    Characteristic(Self.uuid, .read, value: .dynamic),
                ]
            )
        ).0
        let handles = service.characteristics.map(\.valueHandle)
        try server.setValue([1, 2], of: handles[0])
        #expect(server.value(of: handles[0]) == [1, 2])
        #expect(throws: GATT.DefinitionError.valueTooLong(Self.uuid)) {
            try server.setValue([1, 2, 3], of: handles[0])
        }
        #expect(throws: GATT.DefinitionError.notStored(handles[1])) {
            try server.setValue([1], of: handles[1])
        }
        #expect(throws: GATT.DefinitionError.notStored(service.service.handle)) {
            try server.setValue([1], of: service.service.handle)
        }
        #expect(throws: GATT.DefinitionError.notPublished(.last)) {
            try server.setValue([1], of: .last)
        }
        #expect(server.value(of: handles[1]) == nil)
    }
}
