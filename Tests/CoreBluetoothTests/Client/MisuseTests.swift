// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Misuse of a peripheral")
struct ClientMisuseTests {
    private static let everyCommand: [@Sendable (CBPeripheral, CBCharacteristic) -> Void] = [
        { peripheral, _ in peripheral.discoverServices(nil) },
        { $0.discoverIncludedServices(nil, for: $1.service.orNew) },
        { $0.discoverCharacteristics(nil, for: $1.service.orNew) },
        { $0.discoverDescriptors(for: $1) },
        { $0.readValue(for: $1) },
        { $0.writeValue(Data([1]), for: $1, type: .withResponse) },
        { $0.writeValue(Data([1]), for: $1, type: .withoutResponse) },
        { $0.setNotifyValue(true, for: $1) },
        { peripheral, _ in peripheral.readRSSI() },
    ]

    @Test("1.4 While Bluetooth is off, commands are ignored and logged")
    func poweredOff() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A001")
            fixture.adapter.isPoweredOn = false
            await phone.journal.wait(for: "state poweredOff")
            phone.journal.clear()
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                for command in Self.everyCommand { command(sensor, value) }
                phone.manager.connect(sensor)
                phone.manager.cancelPeripheralConnection(sensor)
            }
            let text =
                "API MISUSE: \(Misuse.name(phone.manager)) can only accept this command while in the "
                + "powered on state"
            #expect(lines.lines.count { $0 == text } == Self.everyCommand.count + 2)
            #expect(sensor.state == .disconnected)
            #expect(phone.journal.lines.isEmpty)
        }
    }

    @Test("5.5, 1.5, 7.15 Without a connection, commands are ignored and logged")
    func notConnected() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A001")
            phone.manager.cancelPeripheralConnection(sensor)
            await phone.journal.wait(for: "disconnected")
            phone.journal.clear()
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                for command in Self.everyCommand { command(sensor, value) }
            }
            let text =
                "API MISUSE: \(sensor) can only accept commands while in the "
                + "connected state"
            #expect(lines.lines.count { $0 == text } == Self.everyCommand.count)
            #expect(sensor.description.hasPrefix("<CBPeripheral: 0x"))
            #expect(phone.journal.lines.isEmpty)
        }
    }

    @Test("15.5 A peripheral has Apple's description, by itself and in log lines")
    func description() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            let beginning =
                "<CBPeripheral: \(Misuse.address(sensor)), identifier = \(sensor.identifier.uuidString), "
                + "name = Sensor, mtu = "
            await phone.explore(sensor)
            #expect(sensor.description == beginning + "247, state = connected>")
            phone.manager.cancelPeripheralConnection(sensor)
            await phone.journal.wait(for: "disconnected")
            #expect(sensor.description == beginning + "0, state = disconnected>")
        }
    }

    @Test("7.12 Writing the Client Characteristic Configuration ends the program")
    func configuration() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let fixture = try Fixture(.sensor)
            try await fixture.run {
                let phone = fixture.central()
                let sensor = try await phone.connectedPeripheral("Sensor")
                await phone.explore(sensor)
                let descriptor = try #require(sensor.characteristic("A003").descriptors?.first)
                sensor.writeValue(Data([1, 0]), for: descriptor)
            }
        }
        #expect(
            result.wrote(
                "Client Characteristic Configuration descriptors must be configured using "
                    + "setNotifyValue:forCharacteristic:"
            )
        )
    }

    @Test("7.18 Attributes of another peripheral are refused and logged")
    func otherPeripheral() async throws {
        let fixture = try Fixture(.sensor, .heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            let strap = try await phone.connectedPeripheral("Strap")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A003")
            phone.journal.clear()
            let lines = try await Misuse.lines(about: "of \(sensor)") {
                strap.readValue(for: value)
                strap.readValue(for: try #require(value.descriptors?.first))
                strap.discoverCharacteristics(nil, for: try #require(value.service))
            }
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { $0.hasPrefix("API MISUSE: \(strap)") })
            #expect(phone.journal.lines.isEmpty)
        }
    }

    @Test("7.18 Attributes of this device are refused and logged")
    func mutable() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let own = CBMutableCharacteristic(
                type: CBUUID(string: "A001"),
                properties: .read,
                value: nil,
                permissions: .readable
            )
            let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words")
            own.descriptors = [descriptor]
            let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
            service.characteristics = [own]
            phone.journal.clear()
            let lines = await Misuse.lines(about: "is of this device") {
                sensor.readValue(for: own)
                sensor.readValue(for: descriptor)
                sensor.discoverCharacteristics(nil, for: service)
            }
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { $0.hasPrefix("API MISUSE: \(sensor)") })
            #expect(phone.journal.lines.isEmpty)
        }
    }
}

extension CBService? {
    fileprivate var orNew: CBService {
        self
            ?? CBService(
                GATT.Service(
                    uuid: BluetoothUUID(0xA000),
                    isPrimary: true,
                    handle: AttributeHandle(1),
                    endHandle: AttributeHandle(2)
                ),
                of: nil
            )
    }
}
