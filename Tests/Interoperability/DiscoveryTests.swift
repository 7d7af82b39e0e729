// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct DiscoveryTests {
    @Test(
        "Discovery finds exactly the attributes of the accessory",
        arguments: ControllerKind.available,
        [Accessory.Profile.demo, .large, .stream]
    )
    func allAttributes(
        kind: ControllerKind,
        profile: Accessory.Profile
    ) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, accessory) = try await fixture.link(to: profile)
            let found = try await LinkDescription(link: link).services()
            #expect(found.differences(from: accessory.database["services"]) == [])
        }
    }

    @Test(
        "Discovery by UUID finds services and characteristics",
        arguments: ControllerKind.available
    )
    func byUUID(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            let repeated = try #require(
                try await link.discoverServices(uuid: Demo.uuid(0x0900)).first
            )
            #expect(repeated.uuid == Demo.uuid(0x0900))
            let same = try await link.discoverCharacteristics(of: repeated, uuid: Demo.uuid(0x0901))
            #expect(same.count == 4)
            let mixed = try #require(
                try await link.discoverServices(uuid: BluetoothUUID(0xFFA0)).first
            )
            let third = try await link.discoverCharacteristics(
                of: mixed,
                uuid: BluetoothUUID(0xFFA3)
            )
            #expect(third.map(\.uuid) == [BluetoothUUID(0xFFA3)])
            #expect(
                try await link.discoverCharacteristics(of: mixed, uuid: Demo.uuid(0x0FFF)).isEmpty
            )
        }
    }

    @Test("Discovery of missing attributes finds nothing", arguments: ControllerKind.available)
    func missingAttributes(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            #expect(try await link.discoverServices(uuid: Demo.uuid(0x0FFF)).isEmpty)
            #expect(try await link.discoverServices(uuid: BluetoothUUID(0x1234)).isEmpty)
            // A secondary service is not among the primary ones.
            #expect(try await link.discoverServices(uuid: BluetoothUUID(0xFFF0)).isEmpty)
            let empty = try #require(
                try await link.discoverServices(uuid: BluetoothUUID(0x1802)).first
            )
            #expect(try await link.discoverCharacteristics(of: empty).isEmpty)
            #expect(try await link.discoverIncludedServices(of: empty).isEmpty)
        }
    }
}
