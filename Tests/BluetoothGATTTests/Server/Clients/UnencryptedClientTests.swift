// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// A client with the address of a bonded client and without encryption. `ProtectionTests` also has
/// such clients.
@Suite("A bonded client without encryption")
struct UnencryptedClientTests {
    private static let unencrypted = LinkSecurity(isBonded: true)
    private let bearer = ServerFixture.bearer(1)

    private func fixture() throws -> ServerFixture {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect(security: Self.unencrypted)
        return fixture
    }

    @Test("The client exchanges the MTU and discovers the structure of the database")
    func structure() throws {
        var fixture = try fixture()
        #expect(fixture.send([0x02, 0x40, 0x00]) == [[0x03, 0x05, 0x02]])
        // The requests find services, characteristics, includes and descriptors, and the end of a
        // service by its UUID.
        #expect(fixture.send([0x10, 0x20, 0, 0x20, 0, 0x00, 0x28]).first?.first == 0x11)
        #expect(fixture.send([0x08, 0x20, 0, 0x24, 0, 0x03, 0x28]).first?.first == 0x09)
        #expect(fixture.send([0x08, 0x50, 0, 0x53, 0, 0x02, 0x28]).first?.first == 0x09)
        #expect(fixture.send([0x04, 0x23, 0, 0x23, 0]).first?.first == 0x05)
        #expect(
            fixture.send([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x00, 0xA0]).first?.first == 0x07
        )
        #expect(fixture.send([0x0A, 0x20, 0]) == [[0x0B, 0x00, 0xA0]])
    }

    @Test("The client reads the database hash, which never requires encryption")
    func hash() throws {
        var fixture = try fixture()
        let hash = fixture.server.database.hash
        let response = fixture.send([0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B])
        #expect(response.first?.suffix(16) == hash[...])
    }

    // Vol 3, Part C, 12.1 and 12.2; Vol 3, Part G, 7.4.
    @Test(
        "The client can read, but not write, the device's description and the server's features",
        arguments: [
            (0x03, Array("Lanyard".utf8)), (0x05, [0, 0]), (0x11, [0]),
        ] as [(UInt8, [UInt8])]
    )
    func description(_ handle: UInt8, value: [UInt8]) throws {
        var fixture = try fixture()
        let last = UInt8(value.count)
        #expect(fixture.send([0x0A, handle, 0]) == [[0x0B] + value])
        #expect(fixture.send([0x0C, handle, 0, 1, 0]) == [[0x0D] + value.dropFirst()])
        #expect(fixture.send([0x0E, handle, 0, handle, 0]) == [[0x0F] + value + value])
        #expect(fixture.send([0x20, handle, 0, handle, 0]).first?.prefix(3) == [0x21, last, 0])
        #expect(fixture.send([0x12, handle, 0, 1]) == [[0x01, 0x12, handle, 0, 0x03]])
        #expect(fixture.send([0x16, handle, 0, 0, 0, 1]) == [[0x01, 0x16, handle, 0, 0x03]])
    }

    @Test("The client reads a name only with its permission, and only in Generic Access")
    func protectedName() throws {
        let name = GATT.AttributeType.deviceName
        func characteristic(_ rule: SecurityRequirement) -> GATT.CharacteristicDefinition {
            .init(
                name,
                [.read, .write],
                permissions: .init(read: rule, write: .open),
                value: .stored([0x41])
            )
        }
        var server = GATTServer()
        let services: [(BluetoothUUID, SecurityRequirement)] = [
            (GATT.AttributeType.genericAccess, .encrypted), (.init(0xA0F0), .open),
        ]
        let handles = try services.map { uuid, rule in
            let definition = GATT.ServiceDefinition(uuid, [characteristic(rule)])
            return try server.publish(definition).0.characteristics[0].valueHandle
        }
        var fixture = ServerFixture(server)
        fixture.connect(security: Self.unencrypted)
        for handle in handles.map({ UInt8($0.rawValue) }) {
            #expect(fixture.send([0x0A, handle, 0]) == [[0x01, 0x0A, handle, 0, 0x0F]])
            #expect(fixture.send([0x12, handle, 0, 1]) == [[0x01, 0x12, handle, 0, 0x0F]])
        }
    }

    @Test(
        "The client can read no other value, even if the value requires no security",
        arguments: [0x0007, 0x000D, 0x0022, 0x0023, 0x0026, 0x0032, 0x0034, 0x0035]
    )
    func values(_ handle: UInt8) throws {
        var fixture = try fixture()
        let refusal: [UInt8] = [0x01, 0x0A, handle, 0, 0x0F]
        #expect(fixture.send([0x0A, handle, 0]) == [refusal])
        _ = fixture.server.securityChanged(bearer.client, ServedTable.bonded)
        #expect(fixture.send([0x0A, handle, 0]) != [refusal])
    }

    @Test("An operation that no client may perform is not refused for a lack of encryption")
    func forbidden() throws {
        var fixture = try fixture()
        #expect(fixture.send([0x0A, 0x28, 0]) == [[0x01, 0x0A, 0x28, 0, 0x02]])
        #expect(fixture.send([0x12, 0x39, 0, 1]) == [[0x01, 0x12, 0x39, 0, 0x03]])
        #expect(fixture.send([0x0A, 0x3F, 0]) == [[0x01, 0x0A, 0x3F, 0, 0x01]])
    }

    @Test("Values subscribed before the bond was recognized are not sent")
    func sending() throws {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect()
        #expect(fixture.send([0x12, 0x35, 0, 1, 0]) == [[0x13]])
        let value = AttributeHandle(0x34)
        #expect(try fixture.notify(value, [1]))
        #expect(fixture.drain() == [[0x1B, 0x34, 0, 1]])
        _ = fixture.server.securityChanged(bearer.client, Self.unencrypted)
        #expect(try !fixture.notify(value, [2]))
        _ = fixture.server.securityChanged(bearer.client, ServedTable.bonded)
        #expect(try fixture.notify(value, [3]))
        #expect(fixture.drain() == [[0x1B, 0x34, 0, 3]])
    }

    @Test("Writes prepared before the bond was recognized are not executed")
    func prepared() throws {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect()
        #expect(fixture.send([0x16, 0x22, 0, 0, 0, 9]) == [[0x17, 0x22, 0, 0, 0, 9]])
        _ = fixture.server.securityChanged(bearer.client, Self.unencrypted)
        #expect(fixture.send([0x18, 1]) == [[0x01, 0x18, 0x22, 0, 0x0F]])
        #expect(fixture.server.value(of: AttributeHandle(0x22)) == [1, 2, 3])
    }

    @Test("A change of the database is indicated once the link is encrypted")
    func serviceChanged() throws {
        var table = try ServedTable(security: .none)
        try table.wantServiceChanged()
        _ = table.server.securityChanged(ServedTable.client, Self.unencrypted)
        let actions = try table.server.publish(ServedTable.addition).1
        #expect(actions.changedRanges == [])
        let later = table.server.securityChanged(ServedTable.client, ServedTable.bonded)
        #expect(later.changedRanges.count == 1)
    }

    @Test("A signed write applies only to characteristics with signed writes")
    func signed() throws {
        var fixture = try fixture()
        let key = SigningKey(key: SampleTable.bytes(16))
        fixture.server.setSigningKey(key, of: bearer.client)
        for (counter, handle) in [UInt8(0x22), 0x37].enumerated() {
            let command: [UInt8] = [0xD2, handle, 0, 0x55]
            let signature = try #require(key.signature(of: command, counter: UInt32(counter)))
            #expect(fixture.send(command + signature) == [])
        }
        #expect(fixture.server.value(of: AttributeHandle(0x22)) == [1, 2, 3])
        #expect(fixture.server.value(of: AttributeHandle(0x37)) == [0x55])
    }
}
