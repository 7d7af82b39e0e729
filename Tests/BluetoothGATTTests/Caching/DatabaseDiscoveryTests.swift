// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Discovery of a database")
struct DatabaseDiscoveryTests {
    private func discover(_ server: TableServer, mtu: Int = 517) throws -> Lookup {
        var server = server
        server.receiveMTU = mtu
        var lookup = Lookup(server)
        _ = try lookup.pair.run(.exchangeMTU)
        try lookup.request()
        return lookup
    }

    private func database(_ server: TableServer, mtu: Int = 517) throws -> GATT.Database {
        try #require(try discover(server, mtu: mtu).found.first)
    }

    @Test("Discovery finds every service and characteristic", arguments: [23, 27, 64, 517])
    func everything(mtu: Int) throws {
        let database = try database(Accessory.server(), mtu: mtu)
        #expect(database.services.map(\.service) == Accessory.services)
        let second = database.services[1]
        #expect(second.characteristics.map(\.characteristic) == Accessory.characteristics)
        #expect(second.includes.map(\.service) == Array(Accessory.services.prefix(2)))
        #expect(second.includes.map(\.handle) == [.init(17), .init(18)])
        #expect(
            second.characteristics.map { $0.descriptors.map(\.handle.rawValue) } == [
                [21, 22], [25],
            ]
        )
        let name = try #require(database.characteristic(.init(0x2A00)))
        #expect(
            name.characteristic.endHandle == .init(5),
            "The characteristic ends with its service"
        )
    }

    @Test("A discovered database is searched by UUID and by handle")
    func lookups() throws {
        let database = try database(Accessory.server())
        let charge = try #require(database.characteristic(.init(0x2A19), in: Accessory.long))
        #expect(charge.valueHandle == .init(20))
        #expect(charge.descriptor(.init(0x2901))?.handle == .init(22))
        #expect(charge.descriptor(.init(0x2904)) == nil)
        #expect(database.characteristic(valueHandle: .init(20)) == charge)
        #expect(database.characteristic(valueHandle: .init(19)) == nil)
        #expect(database.characteristic(.init(0x2A19), in: .init(0x1800)) == nil)
        #expect(database.service(.init(0x180F))?.characteristics == [])
        #expect(database.service(.init(0x180F))?.characteristic(.init(0x2A19)) == nil)
    }

    @Test("The discovery of twenty services needs few requests at a large MTU")
    func fewRequests() throws {
        var attributes: [TableServer.Attribute] = []
        for service in 0..<20 as Range<UInt16> {
            let first = 1 + service * 4
            attributes += [
                .init(
                    handle: .init(first),
                    type: .init(0x2800),
                    value: [UInt8(service), 0x18],
                    groupEnd: .init(first + 3)
                ),
                .init(
                    handle: .init(first + 1),
                    type: .init(0x2803),
                    value: [0x12, UInt8(first + 2), 0, UInt8(service), 0x2A]
                ),
                .init(handle: .init(first + 2), type: .init(0x2A00 + service), value: []),
                .init(handle: .init(first + 3), type: .init(0x2902), value: [0, 0]),
            ]
        }
        let lookup = try discover(TableServer(attributes))
        #expect(lookup.found.first?.services.count == 20)
        #expect(
            lookup.found.first?.characteristics.allSatisfy { $0.descriptors.count == 1 } == true
        )
        // The requests are for the MTU, the hash, the services and their end, the includes, the
        // characteristics and their end, and the types.
        #expect(lookup.requestCount == 8)
    }

    @Test("Included secondary services are discovered")
    func secondary() throws {
        var server = Accessory.server()
        server.attributes.removeAll { $0.handle >= .init(32) }
        server.attributes += [
            .init(
                handle: .init(40),
                type: .init(0x2801),
                value: [0x0A, 0x18],
                groupEnd: .init(42)
            ),
            .init(handle: .init(41), type: .init(0x2803), value: [2, 42, 0, 0x29, 0x2A]),
            .init(handle: .init(42), type: .init(0x2A29), value: []),
        ]
        server.attributes[4] = .init(
            handle: .init(17),
            type: .init(0x2802),
            value: [40, 0, 42, 0, 0x0A, 0x18]
        )
        let database = try database(server)
        let last = try #require(database.services.last)
        #expect(!last.service.isPrimary)
        #expect(last.service.handles == .init(40) ... .init(42))
        #expect(last.characteristics.map(\.valueHandle) == [.init(42)])
        #expect(database.services[1].includes.first?.service == last.service)
    }

    @Test("An empty database is discovered")
    func empty() throws {
        let lookup = try discover(TableServer([]))
        #expect(lookup.found.map(\.services) == [[]])
        #expect(lookup.requestCount == 3)
    }

    @Test("A database with overlapping services is refused")
    func overlap() throws {
        var server = Accessory.server()
        // An include whose range is a part of the second service's range.
        server.attributes[4] = .init(
            handle: .init(17),
            type: .init(0x2802),
            value: [20, 0, 30, 0, 0x0A, 0x18]
        )
        let lookup = try discover(server)
        #expect(lookup.found.isEmpty)
        #expect(lookup.record == nil)
        #expect(
            lookup.failures == [
                .protocolViolation(
                    "attribute 0x0014 is outside of its service, or overlaps another"
                )
            ]
        )
    }

    @Test("Attributes outside of every service are omitted")
    func strays() throws {
        var server = Accessory.server()
        server.attributes.removeLast()
        server.attributes += [
            .init(handle: .init(50), type: .init(0x2803), value: [2, 51, 0, 0x29, 0x2A]),
            .init(handle: .init(51), type: .init(0x2A29), value: []),
            .init(handle: .init(52), type: .init(0x2901), value: []),
        ]
        let database = try database(server)
        #expect(database.services.map(\.service) == Array(Accessory.services.prefix(2)))
        #expect(Array(database.characteristics).count == 3)
    }
}
