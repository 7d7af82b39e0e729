// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host discovers the services of BlueZ.
@Suite(.machines) struct AccessoryExploringTests {
    @Test(
        "The host finds each characteristic with its properties and descriptors",
        arguments: Setting.all
    )
    func everything(_ setting: Setting) async throws {
        try await withAccessory(setting, "exploring") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let service = try #require(database.service(BlueZTable.uuid))
            #expect(service.characteristics.map(Entry.init) == Entry.expected)
            let uuids = database.services.map(\.service.uuid)
            #expect(uuids.starts(with: [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]))
            let byUUID = try await link.discoverServices(uuid: BlueZTable.uuid)
            #expect(byUUID == [service.service])
        }
    }

    @Test(
        "Discovery in steps finds the same services as discovery at once",
        arguments: Setting.latestOnly
    )
    func partByPart(_ setting: Setting) async throws {
        try await withAccessory(setting, "exploring by parts") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            var services: [GATT.DiscoveredService] = []
            for service in try await link.discoverServices() {
                services.append(try await Self.explore(service, on: link))
            }
            #expect(services == database.services)
        }
    }

    @Test(
        "The host finds an included service through the service that includes it",
        arguments: Setting.all
    )
    func includes(_ setting: Setting) async throws {
        let battery = BluetoothUUID(0x180F)
        let services = [
            ServedService(uuid: battery, isPrimary: false, characteristics: [Self.level]),
            ServedService(uuid: BlueZTable.uuid, characteristics: [Self.level], includes: [0]),
        ]
        try await withAccessory(setting, "included services", serving: services) { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let including = try #require(database.service(BlueZTable.uuid))
            let included = try #require(including.includes.first)
            #expect(included.service.uuid == battery)
            #expect(database.service(battery)?.service.isPrimary == false)
            #expect(try await link.discoverServices().allSatisfy { $0.uuid != battery })
        }
    }

    private static let level = ServedCharacteristic(
        uuid: BluetoothUUID(0x2A19),
        flags: ["read"],
        value: [50]
    )

    private static func explore(
        _ service: GATT.Service,
        on link: Link
    ) async throws -> GATT.DiscoveredService {
        var characteristics: [GATT.DiscoveredCharacteristic] = []
        for characteristic in try await link.discoverCharacteristics(of: service) {
            let descriptors = try await link.discoverDescriptors(of: characteristic)
            characteristics.append(
                GATT.DiscoveredCharacteristic(
                    characteristic: characteristic,
                    descriptors: descriptors
                )
            )
        }
        return GATT.DiscoveredService(
            service: service,
            includes: try await link.discoverIncludedServices(of: service),
            characteristics: characteristics
        )
    }
}

/// The parts of a discovered characteristic that the tests compare.
private struct Entry: Equatable {
    let uuid: BluetoothUUID
    let properties: GATT.CharacteristicProperties
    let descriptors: [BluetoothUUID]

    init(
        _ uuid: BluetoothUUID,
        _ properties: GATT.CharacteristicProperties,
        _ descriptors: [BluetoothUUID] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.descriptors = descriptors
    }

    init(_ found: GATT.DiscoveredCharacteristic) {
        let characteristic = found.characteristic
        self.init(characteristic.uuid, characteristic.properties, found.descriptors.map(\.uuid))
    }

    private static let writable: GATT.CharacteristicProperties = [
        .read, .write, .extendedProperties,
    ]
    private static let extended = GATT.AttributeType.characteristicExtendedProperties
    private static let configuration = GATT.AttributeType.clientCharacteristicConfiguration

    /// The entries that discovery of `BlueZTable.service` must find.
    static let expected = [
        Entry(BlueZTable.label, [.read]),
        Entry(BlueZTable.page, [.read]),
        Entry(BlueZTable.slate, writable, [extended]),
        Entry(BlueZTable.tablet, writable, [extended]),
        Entry(BlueZTable.pad, [.writeWithoutResponse]),
        Entry(BlueZTable.bell, [.read, .notify], [configuration]),
        Entry(BlueZTable.gong, [.read, .indicate], [configuration]),
        Entry(BlueZTable.vendor, [.read], [BlueZTable.note]),
    ]
}
