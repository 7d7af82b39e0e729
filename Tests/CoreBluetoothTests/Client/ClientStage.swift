// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

extension CentralRecorder {
    /// Finds the peripheral that advertises this name, and connects to it.
    func visit(_ name: String) async throws -> CBPeripheral {
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

    /// Connects to a peripheral that another manager has found.
    func join(_ other: CBPeripheral) async throws -> CBPeripheral {
        await journal.wait(for: "state poweredOn")
        let found = manager.retrievePeripherals(withIdentifiers: [other.identifier])
        let peripheral = try #require(found.first)
        peripheral.delegate = self
        manager.connect(peripheral)
        await journal.wait(for: "connected")
        return peripheral
    }

    /// Finds the services and all that is in them, and begins the journal anew.
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
    /// The first of the services that were discovered with this UUID.
    func service(_ uuid: String) throws -> CBService {
        try #require(services?.first { $0.uuid == CBUUID(string: uuid) })
    }

    /// The first of the characteristics that were discovered with this UUID.
    func characteristic(_ uuid: String) throws -> CBCharacteristic {
        let all = (services ?? []).flatMap { $0.characteristics ?? [] }
        return try #require(all.first { $0.uuid == CBUUID(string: uuid) })
    }
}

extension AccessoryProfile {
    /// What these tests look at: values to read, write and listen to, in every way.
    static let bench = AccessoryProfile(
        name: "Bench",
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
