// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Changed services")
struct ChangedServicesTests {
    @Test("6.6 Only invalidated services are reported, and commands for them are refused")
    func removal() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            try await fixture.host { host in
                let stays = try await host.publish(Self.service(0xB000))
                let goes = try await host.publish(Self.service(0xB100))
                _ = stays
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                await phone.explore(kit)
                try await fixture.air.sleep(for: .seconds(1))
                let dead = try kit.service("B100")
                let deadValue = try #require(dead.characteristics?.first)
                let alive = try kit.characteristic("B001")
                try await host.unpublish(goes)
                await phone.journal.wait(for: "modified B100")
                #expect(kit.services?.map(\.uuid.uuidString) == ["B000"])
                let lines = await Misuse.lines(about: kit.identifier.uuidString) {
                    kit.readValue(for: deadValue)
                    kit.discoverCharacteristics(nil, for: dead)
                }
                #expect(lines.count { $0.contains("no longer valid") } == 2)
                kit.readValue(for: alive)
                await phone.journal.wait(for: "value B001 b0 ok")
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000 ok")
                #expect(try kit.characteristic("B001") === alive)
            }
        }
    }

    @Test("6.6 Each waiting request for a removed service is answered before the change")
    func waitingRequests() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            try await fixture.host { host in
                _ = try await host.publish(Self.service(0xB000))
                let goes = try await host.publish(Self.service(0xB100))
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                await phone.explore(kit)
                try await fixture.air.sleep(for: .seconds(1))
                let dead = try kit.characteristic("B101")
                for _ in 0..<20 { kit.readValue(for: dead) }
                kit.readValue(for: try kit.characteristic("B001"))
                try await host.unpublish(goes)
                await phone.journal.wait(for: "value B001 b0 ok")
                let lines = phone.journal.lines
                let reads = lines.indices.filter { lines[$0].hasPrefix("value B101") }
                let change = try #require(lines.firstIndex(of: "modified B100"))
                #expect(reads.count == 20)
                #expect(reads.allSatisfy { $0 < change })
                #expect(reads.last.map { lines[$0].hasSuffix("CBError 2") } == true, "\(lines)")
            }
        }
    }

    @Test(
        "6.6 A service that is removed right after the discovery is reported",
        arguments: stride(from: 0, through: 150, by: 15).map { Duration.milliseconds($0) }
    )
    func removalRightAfter(delay: Duration) async throws {
        let fixture = try Fixture()
        try await fixture.run {
            try await fixture.host { host in
                _ = try await host.publish(Self.service(0xB000))
                let goes = try await host.publish(Self.service(0xB100))
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000,B100 ok")
                if delay > .zero { try await fixture.air.sleep(for: delay) }
                try await host.unpublish(goes)
                await phone.journal.wait(for: "modified B100")
                #expect(kit.services?.map(\.uuid.uuidString) == ["B000"])
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000 ok")
                #expect(phone.journal.lines.count { $0.hasPrefix("modified") } == 1)
            }
        }
    }

    @Test("6.6 A service that is added right after the discovery is reported with an empty list")
    func additionRightAfter() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            try await fixture.host { host in
                _ = try await host.publish(Self.service(0xB000))
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000 ok")
                _ = try await host.publish(Self.service(0xB100))
                await phone.journal.wait(for: "modified ")
                #expect(kit.services?.map(\.uuid.uuidString) == ["B000"])
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000,B100 ok")
            }
        }
    }

    @Test("6.6 A new service is not in the list until the app discovers it")
    func addition() async throws {
        let fixture = try Fixture(.growing)
        try await fixture.run {
            let phone = fixture.central()
            let plant = try await phone.connectedPeripheral("Plant")
            await phone.explore(plant)
            try await fixture.air.sleep(for: .seconds(1))
            let grow = try plant.characteristic("C001")
            plant.writeValue(Data([1]), for: grow, type: .withResponse)
            await phone.journal.wait(for: "modified ")
            #expect(phone.journal.lines.contains("modified "))
            #expect(plant.services?.count == 1)
            plant.discoverServices(nil)
            await phone.journal.wait(for: "services C000,C100 ok")
            plant.writeValue(Data([0]), for: grow, type: .withResponse)
            await phone.journal.wait(for: "wrote C001", count: 2)
        }
    }

    @Test("6.6 A delegate without didModifyServices causes a warning in the log")
    func warning() async throws {
        let fixture = try Fixture(.growing)
        let delegate = MinimalDelegate()
        try await fixture.run {
            let phone = fixture.central()
            let plant = try await phone.connectedPeripheral("Plant")
            await phone.explore(plant)
            try await fixture.air.sleep(for: .seconds(1))
            let grow = try plant.characteristic("C001")
            plant.delegate = delegate
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                plant.writeValue(Data([1]), for: grow, type: .withResponse)
                await lines.wait { $0.contains { $0.contains("peripheral:didModifyServices:") } }
            }
            let warnings = lines.lines.filter { $0.contains("peripheral:didModifyServices:") }
            #expect(warnings.count == 1)
            #expect(warnings.first?.hasPrefix("WARNING: ") == true)
        }
    }

    private final class MinimalDelegate: NSObject, CBPeripheralDelegate, Sendable {}

    private static func service(_ uuid: UInt16) -> GATT.ServiceDefinition {
        .init(
            BluetoothUUID(uuid),
            [.init(BluetoothUUID(uuid + 1), .read, value: .stored([UInt8(uuid >> 8)]))]
        )
    }
}

extension SimpleAccessoryProfile {
    /// An accessory that adds a service when 1 is written.
    fileprivate static let growing = SimpleAccessoryProfile(
        name: "Plant",
        services: [
            Service(
                BluetoothUUID(0xC000),
                [
                    Characteristic(
                        BluetoothUUID(0xC001),
                        .write,
                        reaction: WriteReaction { written, _ in
                            .accepted(written == [1] ? [.addService(branch)] : [])
                        }
                    )
                ]
            )
        ]
    )

    private static let branch = Service(
        BluetoothUUID(0xC100),
        [Characteristic(BluetoothUUID(0xC101), .read, value: [1])]
    )
}
