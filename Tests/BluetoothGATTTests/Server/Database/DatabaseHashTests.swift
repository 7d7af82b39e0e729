// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Database Hash")
struct DatabaseHashTests {
    typealias Service = GATT.ServiceDefinition
    typealias Characteristic = GATT.CharacteristicDefinition

    /// The database of Vol 3, Part G, Appendix B, with included services published first.
    static let sample: [Service] = [
        Service(
            BluetoothUUID(0x1800),
            [
                Characteristic(BluetoothUUID(0x2A00), [.read, .write]),
                Characteristic(BluetoothUUID(0x2A01), .read),
            ],
            handle: AttributeHandle(0x0001)
        ),
        Service(
            BluetoothUUID(0x1801),
            [
                Characteristic(BluetoothUUID(0x2A05), .indicate),
                Characteristic(BluetoothUUID(0x2B29), [.read, .write]),
                Characteristic(BluetoothUUID(0x2B2A), .read),
            ],
            handle: AttributeHandle(0x0006)
        ),
        Service(
            BluetoothUUID(0x180F),
            isPrimary: false,
            [Characteristic(BluetoothUUID(0x2A19), .read)],
            handle: AttributeHandle(0x0014)
        ),
        Service(
            BluetoothUUID(0x1808),
            includes: [.uuid(BluetoothUUID(0x180F))],
            [
                Characteristic(
                    BluetoothUUID(0x2A18),
                    [.read, .indicate, .extendedProperties],
                    descriptors: [
                        .init(BluetoothUUID(0x2902), value: .dynamic),
                        .init(BluetoothUUID(0x2900), value: .stored([0, 0])),
                    ]
                )
            ],
            handle: AttributeHandle(0x000E)
        ),
    ]

    @Test("The sample database of the specification has the specified hash")
    func sampleData() throws {
        var server = GATTServer()
        for service in Self.sample { _ = try server.publish(service) }
        let expected = try #require([UInt8](hexadecimal: "F1CA2D48ECF58BAC8A8830BBB9FBA990"))
        #expect(server.database.hash == expected.reversed())
        let attribute = try #require(server.database.attribute(AttributeHandle(0x000D)))
        #expect(server.value(of: attribute, for: .init(rawValue: 1)) == expected.reversed())
    }

    @Test("Values of characteristics do not change the hash")
    func values() throws {
        var server = GATTServer()
        let battery = BluetoothUUID(0x2A19)
        let service = try server.publish(
            Service(BluetoothUUID(0x180F), [Characteristic(battery, .read, value: .stored([1]))])
        ).0
        let before = server.database.hash
        let handle = try #require(service.characteristic(battery)).valueHandle
        try server.setValue([99], of: handle)
        #expect(server.value(of: handle) == [99])
        #expect(server.database.hash == before)
    }

    @Test("Adding a service changes the hash, and removing it restores the hash")
    func comingAndGoing() throws {
        var server = GATTServer()
        let empty = server.database.hash
        let service = try server.publish(Service(BluetoothUUID(0x180F), [])).0.service
        #expect(server.database.hash != empty)
        _ = try server.unpublish(service.handle)
        #expect(server.database.hash == empty)
    }

    @Test("Databases that differ in one property have different hashes")
    func properties() throws {
        let hashes = try [GATT.CharacteristicProperties.read, [.read, .write]].map { properties in
            var database = AttributeDatabase()
            let value = Characteristic(BluetoothUUID(0x2A19), properties)
            _ = try database.publish(Service(BluetoothUUID(0x180F), [value]))
            return database.hash
        }
        #expect(hashes[0] != hashes[1])
    }
}
