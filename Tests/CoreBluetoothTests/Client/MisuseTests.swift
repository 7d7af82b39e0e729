// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing
import VirtualAccessories

@testable import CoreBluetooth

@Suite("Commands that a peripheral does not take")
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

    @Test("1.4 While Bluetooth is off, commands are dropped, says the log")
    func poweredOff() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A001")
            stage.adapter.isPoweredOn = false
            await phone.journal.wait(for: "state poweredOff")
            phone.journal.clear()
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                for command in Self.everyCommand { command(bench, value) }
                phone.manager.connect(bench)
                phone.manager.cancelPeripheralConnection(bench)
            }
            let text =
                "API MISUSE: \(Misuse.name(phone.manager)) can only accept this command while in the "
                + "powered on state"
            #expect(lines.lines.count { $0 == text } == Self.everyCommand.count + 2)
            #expect(bench.state == .disconnected)
            #expect(phone.journal.lines.isEmpty)
        }
    }

    @Test("5.5, 1.5, 7.15 Without a connection, commands are dropped, says the log")
    func notConnected() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A001")
            phone.manager.cancelPeripheralConnection(bench)
            await phone.journal.wait(for: "disconnected")
            phone.journal.clear()
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                for command in Self.everyCommand { command(bench, value) }
            }
            let text =
                "API MISUSE: \(bench.logDescription) can only accept commands while in the "
                + "connected state"
            #expect(lines.lines.count { $0 == text } == Self.everyCommand.count)
            #expect(bench.logDescription.hasPrefix("<CBPeripheral: 0x"))
            #expect(phone.journal.lines.isEmpty)
        }
    }

    @Test("7.12 The configuration of a client cannot be written: the program ends")
    func configuration() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let stage = try Stage(.bench)
            try await stage.run {
                let phone = stage.central()
                let bench = try await phone.visit("Bench")
                await phone.explore(bench)
                let descriptor = try #require(bench.characteristic("A003").descriptors?.first)
                bench.writeValue(Data([1, 0]), for: descriptor)
            }
        }
        #expect(
            result.said(
                "Client Characteristic Configuration descriptors must be configured using "
                    + "setNotifyValue:forCharacteristic:"
            )
        )
    }

    @Test("7.18 A characteristic of another peripheral ends the program")
    func foreigner() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let stage = try Stage(.bench, .heartRate(name: "Strap"))
            try await stage.run {
                let phone = stage.central()
                let bench = try await phone.visit("Bench")
                let strap = try await phone.visit("Strap")
                await phone.explore(bench)
                strap.readValue(for: try bench.characteristic("A001"))
            }
        }
        #expect(result.said("was given an attribute of <CBPeripheral"))
    }

    @Test("7.18 A characteristic of this device ends the program")
    func mutable() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let stage = try Stage(.bench)
            try await stage.run {
                let phone = stage.central()
                let bench = try await phone.visit("Bench")
                let own = CBMutableCharacteristic(
                    type: CBUUID(string: "A001"),
                    properties: .read,
                    value: nil,
                    permissions: .readable
                )
                bench.readValue(for: own)
            }
        }
        #expect(result.said("is of this device"))
    }
}

extension CBService? {
    /// The service, or one that stands for it where it is gone already.
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
