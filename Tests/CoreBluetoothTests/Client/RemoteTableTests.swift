// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothPort
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The database and the objects of a peripheral")
struct RemoteTableTests {
    @Test("13.3 Stored attributes are restored as if they had just been discovered")
    func memory() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            #expect(sensor.table == nil)
            await phone.explore(sensor)
            sensor.setNotifyValue(true, for: try sensor.characteristic("A003"))
            await phone.journal.wait(for: "notifying A003 on ok")
            let table = try #require(sensor.table)
            #expect(table.notifying.map { $0.uuid.description } == ["A003"])
            let other = fixture.central()
            let copy = try await other.join(sensor)
            copy.adopt(table)
            #expect(copy.table == table)
            #expect(copy.services?.map(\.uuid) == sensor.services?.map(\.uuid))
            #expect(try copy.characteristic("A003").isNotifying)
            #expect(try copy.characteristic("A001").descriptors?.count == 1)
            #expect(try copy.service("A000").includedServices == nil)
            let adopted = try copy.characteristic("A001")
            copy.readValue(for: adopted)
            await other.journal.wait(for: "value A001 010203 ok")
            copy.discoverServices(nil)
            await other.journal.wait(for: "services A000,A100 ok")
            #expect(try copy.characteristic("A001") === adopted)
        }
    }

    @Test("A characteristic that a discovery replaces gets new descriptors")
    func replacedCharacteristic() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let service = try #require(sensor.service("A000").origin)
            let former = try sensor.characteristic("A001")
            let origin = try #require(former.origin)
            let descriptor = try #require(former.descriptors?.first)
            let descriptorOrigin = try #require(descriptor.origin)
            let replacement = GATT.Characteristic(
                uuid: origin.uuid,
                handle: origin.handle,
                valueHandle: origin.valueHandle,
                properties: [.read, .indicate],
                endHandle: origin.endHandle
            )
            sensor.take(
                .found(
                    .characteristics(UUIDFilter(nil), of: service),
                    .success(.characteristics([replacement]))
                )
            )
            #expect(former.isInvalidated)
            let left: CBDescriptor? = sensor.attribute(descriptorOrigin.handle)
            #expect(left == nil)
            sensor.take(
                .found(
                    .descriptors(of: replacement),
                    .success(.descriptors([descriptorOrigin]))
                )
            )
            let found = try #require(sensor.characteristic("A001").descriptors?.first)
            #expect(found !== descriptor)
            #expect(!found.isInvalidated)
        }
    }

    @Test("13.3 A stored database whose services are not in order is refused")
    func order() throws {
        let services = ["180D", "180F"].enumerated().map { index, uuid in
            RemoteTable.Service(
                origin: .init(
                    uuid: CBUUID(string: uuid).value,
                    isPrimary: true,
                    handle: AttributeHandle(UInt16(1 + 8 * index)),
                    endHandle: AttributeHandle(UInt16(8 + 8 * index))
                )
            )
        }
        for (services, isValid) in [(services, true), (services.reversed(), false)] {
            let bytes = RestorationRecord.encode(RemoteTable(services: services), of: "app")
            let table: RemoteTable? = try? RestorationRecord.decode(bytes, of: "app")
            #expect((table != nil) == isValid)
        }
    }

    @Test("4.6 A peripheral is retrieved by services that any manager discovered")
    func connectedPeripherals() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            await phone.explore(sensor)
            let found = other.manager.retrieveConnectedPeripherals(
                withServices: [CBUUID(string: "A100")]
            )
            #expect(found.map(\.identifier) == [sensor.identifier])
            #expect(found.first?.state == .disconnected)
            let none = other.manager.retrieveConnectedPeripherals(
                withServices: [CBUUID(string: "A200")]
            )
            #expect(none.isEmpty)
        }
    }
}
