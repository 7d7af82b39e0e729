// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Writes without response")
struct WriteWindowTests {
    @Test("7.7 Values written without response arrive in order and are not reported")
    func arrival() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A001")
            for number in UInt8(0)..<20 {
                sensor.writeValue(Data([number]), for: value, type: .withoutResponse)
            }
            sensor.readValue(for: value)
            await phone.journal.wait(for: "value A001")
            #expect(phone.journal.lines == ["value A001 13 ok"])
        }
    }

    @Test("7.7 After a full queue, the app is informed when there is space")
    func flowControl() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A001")
            var written = 0
            // Writes that were sent make space meanwhile, so that more can be written than fit at
            // once.
            while sensor.canSendWriteWithoutResponse, written < 100_000 {
                sensor.writeValue(Data([1]), for: value, type: .withoutResponse)
                written += 1
            }
            #expect(written >= WriteWindow.limit)
            await phone.journal.wait(for: "ready")
            #expect(sensor.canSendWriteWithoutResponse)
            #expect(phone.journal.lines == ["ready"])
        }
    }

    @Test("7.8 There is no space before and after a connection")
    func connection() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            #expect(sensor.canSendWriteWithoutResponse)
            phone.manager.cancelPeripheralConnection(sensor)
            #expect(!sensor.canSendWriteWithoutResponse)
            await phone.journal.wait(for: "disconnected")
            #expect(!sensor.canSendWriteWithoutResponse)
            phone.manager.connect(sensor)
            #expect(!sensor.canSendWriteWithoutResponse)
            await phone.journal.wait(for: "connected Sensor", count: 2)
            #expect(sensor.canSendWriteWithoutResponse)
        }
    }

    @Test("7.9 A write without response is refused and logged if the property is missing")
    func missingProperty() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A002")
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                sensor.writeValue(Data([7]), for: value, type: .withoutResponse)
            }
            #expect(
                lines.lines.contains {
                    $0.hasPrefix("WARNING: Characteristic <CBCharacteristic: 0x")
                        && $0.hasSuffix(
                            "does not specify the \"Write Without Response\" property - ignoring "
                                + "response-less write"
                        )
                }
            )
            sensor.readValue(for: value)
            await phone.journal.wait(for: "value A002 000102")
        }
    }

    @Test("7.10 A value that is too long is truncated and logged")
    func cut() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A001")
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                sensor.writeValue(Data(count: 300), for: value, type: .withoutResponse)
            }
            #expect(lines.lines.contains { $0.contains("cut from 300 to 244 bytes") })
            sensor.readValue(for: value)
            await phone.journal.wait(for: "value A001")
            #expect(value.value == Data(count: 244))
        }
    }

    @Test("7.7 A window accepts writes up to its limit, and reports space at its low-water mark")
    func window() {
        let window = WriteWindow()
        for _ in 0..<WriteWindow.limit {
            #expect(window.hasRoom)
            #expect(window.take())
        }
        #expect(!window.hasRoom)
        let beyondLowWater = WriteWindow.limit - WriteWindow.lowWater - 1
        for _ in 0..<beyondLowWater { #expect(!window.release()) }
        #expect(window.hasRoom)
        #expect(window.release())
        #expect(!window.release())
    }

    @Test("7.7 Writes without space are kept up to a limit")
    func overflow() {
        let window = WriteWindow()
        for _ in 0..<WriteWindow.overflowLimit { #expect(window.take()) }
        #expect(!window.take())
        _ = window.release()
        #expect(window.take())
    }
}
