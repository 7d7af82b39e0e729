// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Foundation
import Testing
import VirtualAccessories

@testable import CoreBluetooth

@Suite("Writes without response")
struct WriteWindowTests {
    @Test("7.7 What is written arrives in order, and nobody is told of it")
    func arrival() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A001")
            for number in UInt8(0)..<20 {
                bench.writeValue(Data([number]), for: value, type: .withoutResponse)
            }
            bench.readValue(for: value)
            await phone.journal.wait(for: "value A001")
            #expect(phone.journal.lines == ["value A001 13 ok"])
        }
    }

    @Test("7.7 A full queue says no, and the application is told when there is room")
    func flowControl() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A001")
            var written = 0
            // What has left already makes room, so there can be more than fit at once.
            while bench.canSendWriteWithoutResponse, written < 100_000 {
                bench.writeValue(Data([1]), for: value, type: .withoutResponse)
                written += 1
            }
            #expect(written >= WriteWindow.limit)
            await phone.journal.wait(for: "ready")
            #expect(bench.canSendWriteWithoutResponse)
            #expect(phone.journal.lines == ["ready"])
        }
    }

    @Test("7.8 There is no room before there is a connection, nor after it")
    func connection() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            #expect(bench.canSendWriteWithoutResponse)
            phone.manager.cancelPeripheralConnection(bench)
            #expect(!bench.canSendWriteWithoutResponse)
            await phone.journal.wait(for: "disconnected")
            #expect(!bench.canSendWriteWithoutResponse)
            phone.manager.connect(bench)
            #expect(!bench.canSendWriteWithoutResponse)
            await phone.journal.wait(for: "connected Bench", count: 2)
            #expect(bench.canSendWriteWithoutResponse)
        }
    }

    @Test("7.9 A characteristic that cannot be written without response is not, says the log")
    func missingProperty() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A002")
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                bench.writeValue(Data([7]), for: value, type: .withoutResponse)
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
            bench.readValue(for: value)
            await phone.journal.wait(for: "value A002 000102")
        }
    }

    @Test("7.10 What does not fit is cut, says the log")
    func cut() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let value = try bench.characteristic("A001")
            let lines = Journal()
            await Misuse.observing({ lines.add($0) }) {
                bench.writeValue(Data(count: 300), for: value, type: .withoutResponse)
            }
            #expect(lines.lines.contains { $0.contains("cut from 300 to 244 bytes") })
            bench.readValue(for: value)
            await phone.journal.wait(for: "value A001")
            #expect(value.value == Data(count: 244))
        }
    }

    @Test("7.7 A window counts what is under way")
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

    @Test("7.7 Writes that are asked for without room are kept up to a bound")
    func overflow() {
        let window = WriteWindow()
        for _ in 0..<WriteWindow.overflowLimit { #expect(window.take()) }
        #expect(!window.take())
        _ = window.release()
        #expect(window.take())
    }
}
