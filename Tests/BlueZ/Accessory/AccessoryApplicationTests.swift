// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import ProcessTestSupport
import Testing

/// Code as one would write it for a phone meets BlueZ.
@Suite(.machines) struct AccessoryApplicationTests {
    private static let sealed = BluetoothUUID(0xFFB1)

    private static let services = [
        Exhibition.service,
        ServedService(
            uuid: BluetoothUUID(0xFFB0),
            characteristics: [
                ServedCharacteristic(uuid: sealed, flags: ["encrypt-read"], value: [0x5E, 0xA1])
            ]
        ),
    ]

    @Test("Values are read, written, and told of", arguments: Setting.oldestAndLatest)
    func values(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            let peripheral = try #require(application.peripheral)
            #expect(try await application.read(Exhibition.page) == told(Exhibition.pageValue))
            let value = Exhibition.pattern(300, start: 3)
            let slate = try #require(application.find(Exhibition.slate))
            peripheral.writeValue(Data(value), for: slate, type: .withResponse)
            #expect(try await application.hear("wrote ") == "ok")
            #expect(try await bluez.servedValue(Exhibition.slate) == value)
            for uuid in [Exhibition.bell, Exhibition.gong] {
                let source = try #require(application.find(uuid))
                peripheral.setNotifyValue(true, for: source)
                #expect(try await application.hear("notifying ") == "true ok")
                try await bluez.notify([[1, 2], [3, 4]], of: uuid)
                #expect(try await application.hear("value ") == told([1, 2]))
                #expect(try await application.hear("value ") == told([3, 4]))
                peripheral.setNotifyValue(false, for: source)
                #expect(try await application.hear("notifying ") == "false ok")
            }
        }
    }

    @Test(
        "A protected value is read after a pairing that nobody asked for",
        arguments: Setting.latestOnly
    )
    func pairing(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            #expect(try await application.read(Self.sealed) == told([0x5E, 0xA1]))
            let peripheral = try #require(application.peripheral)
            // The bond is there the next time.
            application.manager?.cancelPeripheralConnection(peripheral)
            #expect(try await application.hear("disconnected ") == "ok")
            try await bluez.isAlone()
            // btvirt connects only to who advertises already.
            try await application.encounter(Exhibition.uuid)
            try await application.explore()
            #expect(try await application.read(Self.sealed) == told([0x5E, 0xA1]))
            #expect(try bluez.pendingEvents("agent").count == 1)
        }
    }

    @Test("Services that go are told of, and those that come are found", arguments: Setting.crossed)
    func modifications(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            // The first is asked for behind what our host tells BlueZ of itself, the second behind its wish to
            // be told of changes.
            for _ in 0..<2 {
                let value = try await application.read(Exhibition.label)
                #expect(value == told(Exhibition.labelValue))
            }
            try await bluez.stopServing()
            let gone = try await application.hear("modified ")
            #expect(gone.contains("FFF0") || gone.contains("FFB0"))
            try await bluez.serve([Self.services[1]], as: "again")
            // BlueZ tells of each service on its own, and what it tells may come while we explore.
            while application.find(Self.sealed) == nil {
                if try await application.exploreUndisturbed() {
                    guard application.find(Self.sealed) == nil else { break }
                    try await application.hear("modified ")
                }
            }
            #expect(application.find(Exhibition.page) == nil)
        }
    }

    @Test("A BlueZ that is switched off is gone, and comes back", arguments: Setting.latestOnly)
    func farewell(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            let peripheral = try #require(application.peripheral)
            try await bluez.powerOff()
            #expect(try await application.hear("disconnected ").hasPrefix("CBError"))
            try await bluez.restartDaemon()
            _ = try await bluez.becomeAccessory(serving: Self.services)
            // Not before: btvirt connects only to who advertises already.
            application.manager?.connect(peripheral)
            try await application.hear("connected")
            try await application.explore()
            #expect(try await application.read(Exhibition.label) == told(Exhibition.labelValue))
        }
    }

    /// Gives `body` an application that has met BlueZ, and found all that it serves.
    private func withApplication(
        _ setting: Setting,
        _ body: @escaping @Sendable (AccessoryApplication, BlueZ) async throws -> Void
    ) async throws {
        try await withBlueZ(setting, as: .peripheral, "CBCentralManager") { bluez in
            _ = try await bluez.becomeAccessory(serving: Self.services)
            let adapter = CBAdapter(transport: try await bluez.makeTransport())
            let application = AccessoryApplication(on: adapter)
            do {
                #expect(try await application.meet(Exhibition.uuid) == AccessoryScene.name)
                try await application.explore()
                try await body(application, bluez)
            } catch {
                await adapter.shutDown()
                throw error
            }
            await adapter.shutDown()
        }
    }
}

/// The line that tells of a value.
private func told(_ value: [UInt8]) -> String { "ok \(value.hexadecimal)" }
