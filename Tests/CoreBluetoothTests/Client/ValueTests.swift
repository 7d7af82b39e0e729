// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

@Suite("Values of a peripheral")
struct ValueTests {
    /// Explores the peripheral of the profile `sensor`, and runs `body` with it.
    private func withSensor(
        _ body: @escaping @Sendable (CentralRecorder, CBPeripheral) async throws -> Void
    ) async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            try await body(phone, sensor)
        }
    }

    @Test("7.1 The value is set before the delegate is called for a read")
    func reading() async throws {
        try await withSensor { phone, sensor in
            sensor.readValue(for: try sensor.characteristic("A001"))
            await phone.journal.wait(for: "value A001 010203 ok")
        }
    }

    @Test("7.1 A read value and a notified value are reported in the same way")
    func notifying() async throws {
        try await withSensor { phone, sensor in
            sensor.setNotifyValue(true, for: try sensor.characteristic("A003"))
            await phone.journal.wait(for: "value A003", count: 3)
            #expect(
                phone.journal.lines == [
                    "notifying A003 on ok", "value A003 00 ok", "value A003 01 ok",
                    "value A003 02 ok",
                ]
            )
        }
    }

    @Test("7.1 An error leaves the value unchanged")
    func failingRead() async throws {
        try await withSensor { phone, sensor in
            let value = try sensor.characteristic("A003")
            sensor.setNotifyValue(true, for: value)
            await phone.journal.wait(for: "value A003 02 ok")
            sensor.readValue(for: value)
            await phone.journal.wait(for: "value A003 02 CBATTError 2")
            #expect(value.value == Data([2]))
        }
    }

    @Test("7.2, 7.3 One call reads or writes a long value", arguments: [0, 20, 244, 245, 512])
    func longValues(length: Int) async throws {
        try await withSensor { phone, sensor in
            let long = try sensor.characteristic("A002")
            sensor.readValue(for: long)
            await phone.journal.wait(for: "value A002")
            #expect(long.value?.count == 300)
            let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) })
            sensor.writeValue(data, for: long, type: .withResponse)
            sensor.readValue(for: long)
            await phone.journal.wait(for: "value A002", count: 2)
            #expect(long.value == data)
            #expect(phone.journal.lines.count { $0 == "wrote A002 ok" } == 1)
        }
    }

    @Test("7.4, 7.5, 7.6 The maximum write length is 512, or without response that of the MTU")
    func lengths() async throws {
        try await withSensor { phone, sensor in
            #expect(sensor.maximumWriteValueLength(for: .withResponse) == 512)
            #expect(sensor.maximumWriteValueLength(for: .withoutResponse) == 244)
            phone.manager.cancelPeripheralConnection(sensor)
            #expect(sensor.maximumWriteValueLength(for: .withResponse) == 0)
            await phone.journal.wait(for: "disconnected")
            #expect(sensor.maximumWriteValueLength(for: .withoutResponse) == 0)
        }
    }

    @Test("7.10 A value of more than 512 bytes is refused")
    func tooLong() async throws {
        try await withSensor { phone, sensor in
            let value = try sensor.characteristic("A002")
            sensor.writeValue(Data(count: 513), for: value, type: .withResponse)
            await phone.journal.wait(for: "wrote A002 CBATTError 13")
        }
    }

    @Test("7.14 Answers come in the order of the calls, however long each takes")
    func order() async throws {
        try await withSensor { phone, sensor in
            let long = try sensor.characteristic("A002")
            let short = try sensor.characteristic("A001")
            sensor.readValue(for: long)
            sensor.readValue(for: short)
            sensor.writeValue(Data(count: 400), for: long, type: .withResponse)
            sensor.setNotifyValue(true, for: try sensor.characteristic("A004"))
            sensor.writeValue(Data([9]), for: short, type: .withResponse)
            sensor.discoverServices(nil)
            sensor.readValue(for: short)
            await phone.journal.wait(for: "value A001 09 ok")
            let heads = phone.journal.lines.map {
                $0.split(separator: " ").prefix(2).joined(separator: " ")
            }
            #expect(
                heads == [
                    "value A002", "value A001", "wrote A002", "notifying A004", "wrote A001",
                    "services A000,A100", "value A001",
                ]
            )
        }
    }

    @Test("7.15 The signal strength can be read while connected")
    func signalStrength() async throws {
        try await withSensor { phone, sensor in
            sensor.readRSSI()
            await phone.journal.wait(for: "rssi -")
            #expect(phone.journal.lines.last?.hasSuffix("ok") == true)
        }
    }

    @Test(
        "7.16 Error codes of ATT are passed on unchanged",
        arguments: [0x03, 0x0E, 0x80, 0xFE]
    )
    func codes(code: UInt8) async throws {
        try await withSensor { phone, sensor in
            let value = try sensor.characteristic("A004")
            sensor.writeValue(Data([code]), for: value, type: .withResponse)
            await phone.journal.wait(for: "wrote A004 CBATTError \(code)")
        }
    }

    @Test("7.13 Descriptors have values of their types")
    func descriptors() async throws {
        try await withSensor { phone, sensor in
            for name in ["A001", "A003"] {
                for descriptor in try sensor.characteristic(name).descriptors ?? [] {
                    sensor.readValue(for: descriptor)
                }
            }
            await phone.journal.wait(for: "descriptor", count: 2)
            #expect(phone.journal.lines == ["descriptor 2901 A value ok", "descriptor 2902 0 ok"])
            let described = try sensor.characteristic("A001").descriptors?.first
            #expect(described?.value as? String == "A value")
        }
    }

    @Test("7.3 The write of a descriptor is answered")
    func descriptorWrite() async throws {
        try await withSensor { phone, sensor in
            let descriptor = try #require(try sensor.characteristic("A001").descriptors?.first)
            sensor.writeValue(Data([1]), for: descriptor)
            await phone.journal.wait(for: "wrote descriptor 2901 CBATTError 3")
        }
    }
}
