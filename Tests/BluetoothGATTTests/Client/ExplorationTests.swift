// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// Discovery of a whole database at different MTUs.
@Suite("Exploring a server")
struct ExplorationTests {
    static let mtus = [23, 24, 27, 48, 64, 185, 247, 517]

    private func pair(mtu: Int) throws -> Pair {
        var pair = Pair(Accessory.server(), receiveMTU: mtu)
        #expect(try pair.succeed(.exchangeMTU) == .mtu(mtu))
        #expect(pair.client.mtu == mtu)
        return pair
    }

    @Test("All primary services are discovered", arguments: mtus)
    func primaryServices(mtu: Int) throws {
        var pair = try pair(mtu: mtu)
        let found = try pair.succeed(.discoverPrimaryServices(uuid: nil))
        #expect(found == .services(Accessory.services))
    }

    @Test("A primary service is discovered by its UUID", arguments: Accessory.services)
    func primaryServiceByUUID(service: GATT.Service) throws {
        var pair = try pair(mtu: 23)
        let found = try pair.succeed(.discoverPrimaryServices(uuid: service.uuid))
        #expect(found == .services([service]))
    }

    @Test("The discovery of a missing service succeeds without results")
    func absentService() throws {
        var pair = try pair(mtu: 23)
        let absent = BluetoothUUID(0xFFFF)
        #expect(try pair.succeed(.discoverPrimaryServices(uuid: absent)) == .services([]))
        #expect(try pair.succeed(.discoverSecondaryServices) == .services([]))
    }

    @Test("All characteristics of a service are discovered with their end handles", arguments: mtus)
    func characteristics(mtu: Int) throws {
        var pair = try pair(mtu: mtu)
        let operation = GATT.Operation.discoverCharacteristics(
            first: .init(16),
            last: .init(31),
            uuid: nil
        )
        #expect(try pair.succeed(operation) == .characteristics(Accessory.characteristics))
    }

    @Test("A characteristic found by UUID has the same end handle as in a full discovery")
    func characteristicByUUID() throws {
        var pair = try pair(mtu: 23)
        for characteristic in Accessory.characteristics {
            let operation = GATT.Operation.discoverCharacteristics(
                first: .init(16),
                last: .init(31),
                uuid: characteristic.uuid
            )
            #expect(try pair.succeed(operation) == .characteristics([characteristic]))
        }
    }

    @Test("Descriptors with UUIDs of both lengths are discovered", arguments: mtus)
    func descriptors(mtu: Int) throws {
        var pair = try pair(mtu: mtu)
        let short = try pair.succeed(.discoverDescriptors(first: .init(21), last: .init(22)))
        #expect(
            short
                == .descriptors([
                    .init(uuid: .init(0x2902), handle: .init(21)),
                    .init(uuid: .init(0x2901), handle: .init(22)),
                ])
        )
        let mixed = try pair.succeed(.discoverDescriptors(first: .init(22), last: .init(25)))
        #expect(
            mixed
                == .descriptors([
                    .init(uuid: .init(0x2901), handle: .init(22)),
                    .init(uuid: .init(0x2803), handle: .init(23)),
                    .init(uuid: Accessory.long, handle: .init(24)),
                    .init(uuid: Accessory.long, handle: .init(25)),
                ])
        )
    }

    @Test("Included services are discovered, and a long UUID is read", arguments: mtus)
    func includedServices(mtu: Int) throws {
        var pair = try pair(mtu: mtu)
        let operation = GATT.Operation.findIncludedServices(first: .init(16), last: .init(31))
        guard case .includedServices(let found) = try pair.succeed(operation) else {
            Issue.record("The result has another type")
            return
        }
        #expect(found.map(\.handle) == [.init(17), .init(18)])
        #expect(found.map(\.service.uuid) == [.init(0x1800), Accessory.long])
        #expect(found.map(\.service.handles) == Accessory.services.prefix(2).map(\.handles))
    }

    @Test("An included service counts as primary once it is discovered as primary")
    func includedServiceIsPrimary() throws {
        var pair = try pair(mtu: 23)
        let operation = GATT.Operation.findIncludedServices(first: .init(16), last: .init(31))
        let included = { (outcome: GATT.Outcome) -> [Bool] in
            guard case .includedServices(let services) = outcome else { return [] }
            return services.map(\.service.isPrimary)
        }
        #expect(included(try pair.succeed(operation)) == [false, false])
        _ = try pair.succeed(.discoverPrimaryServices(uuid: nil))
        #expect(included(try pair.succeed(operation)) == [true, true])
    }

    @Test("The discovery of an empty range sends no request")
    func emptyRange() throws {
        var pair = try pair(mtu: 23)
        let traffic = pair.sent.count
        let (first, last) = (AttributeHandle(9), AttributeHandle(8))
        #expect(
            try pair.succeed(.discoverDescriptors(first: first, last: last)) == .descriptors([])
        )
        #expect(
            try pair.succeed(.discoverCharacteristics(first: first, last: last, uuid: nil))
                == .characteristics([])
        )
        #expect(
            try pair.succeed(.findIncludedServices(first: first, last: last))
                == .includedServices([])
        )
        #expect(pair.sent.count == traffic)
    }

    @Test("Values of different lengths are read by type", arguments: mtus)
    func readUsingUUID(mtu: Int) throws {
        var server = Accessory.server(longValue: [7, 8, 9])
        server.receiveMTU = mtu
        var pair = Pair(server)
        _ = try pair.succeed(.exchangeMTU)
        let operation = GATT.Operation.readUsingUUID(Accessory.long, first: .first, last: .last)
        #expect(
            try pair.succeed(operation)
                == .values([
                    .init(handle: .init(24), value: [7, 8, 9]),
                    .init(handle: .init(25), value: [1]),
                ])
        )
    }
}
