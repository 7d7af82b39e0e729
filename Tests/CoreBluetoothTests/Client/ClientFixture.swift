// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

extension CentralRecorder {
    /// Discovers the peripheral that advertises this name, and connects to it.
    func connectedPeripheral(_ name: String) async throws -> CBPeripheral {
        await journal.wait(for: "state poweredOn")
        manager.scanForPeripherals(withServices: nil)
        await journal.wait(for: "discovered \(name)")
        manager.stopScan()
        let peripheral = try #require(self[name])
        peripheral.delegate = self
        manager.connect(peripheral)
        await journal.wait(for: "connected \(name)")
        return peripheral
    }

    /// Connects to a peripheral that another manager discovered.
    func join(_ other: CBPeripheral) async throws -> CBPeripheral {
        await journal.wait(for: "state poweredOn")
        let found = manager.retrievePeripherals(withIdentifiers: [other.identifier])
        let peripheral = try #require(found.first)
        peripheral.delegate = self
        manager.connect(peripheral)
        await journal.wait(for: "connected")
        return peripheral
    }

    /// Discovers the services and their contents, and clears the journal.
    func explore(_ peripheral: CBPeripheral) async {
        peripheral.discoverServices(nil)
        await journal.wait(for: "services ")
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics(nil, for: service)
            await journal.wait(for: "characteristics \(service.uuid.uuidString)")
            for characteristic in service.characteristics ?? [] {
                peripheral.discoverDescriptors(for: characteristic)
                await journal.wait(for: "descriptors \(characteristic.uuid.uuidString)")
            }
        }
        journal.clear()
    }
}

extension CBPeripheral {
    /// Returns the first discovered service with this UUID.
    func service(_ uuid: String) throws -> CBService {
        try #require(services?.first { $0.uuid == CBUUID(string: uuid) })
    }

    /// Returns the first discovered characteristic with this UUID.
    func characteristic(_ uuid: String) throws -> CBCharacteristic {
        let all = (services ?? []).flatMap { $0.characteristics ?? [] }
        return try #require(all.first { $0.uuid == CBUUID(string: uuid) })
    }
}

extension SimpleAccessoryProfile {
    /// The accessory of these tests, with values to read, to write and to subscribe to.
    static let sensor = SimpleAccessoryProfile(
        name: "Sensor",
        services: [
            Service(
                BluetoothUUID(0xA000),
                [
                    Characteristic(
                        BluetoothUUID(0xA001),
                        [.read, .write, .writeWithoutResponse],
                        value: [1, 2, 3],
                        descriptors: [.userDescription("A value")]
                    ),
                    Characteristic(
                        BluetoothUUID(0xA002),
                        [.read, .write],
                        value: (0..<300).map { UInt8(truncatingIfNeeded: $0) }
                    ),
                    Characteristic(
                        BluetoothUUID(0xA003),
                        [.notify, .indicate],
                        stream: ValueStream(every: .milliseconds(100), limit: 3) { [UInt8($0)] }
                    ),
                    Characteristic(
                        BluetoothUUID(0xA004),
                        [.write, .indicate],
                        reaction: WriteReaction { written, _ in
                            .refused(.init(rawValue: written.first ?? 0x80))
                        }
                    ),
                ]
            ),
            Service(BluetoothUUID(0xA100), [Characteristic(BluetoothUUID(0xA101), .read)]),
        ]
    )
}
