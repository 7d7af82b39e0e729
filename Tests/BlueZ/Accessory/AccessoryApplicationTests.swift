// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import ProcessTestSupport
import Testing

/// BlueZ serves an app on CoreBluetooth.
@Suite(.machines) struct AccessoryApplicationTests {
    private static let sealed = BluetoothUUID(0xFFB1)

    private static let services = [
        BlueZTable.service,
        ServedService(
            uuid: BluetoothUUID(0xFFB0),
            characteristics: [
                ServedCharacteristic(uuid: sealed, flags: ["encrypt-read"], value: [0x5E, 0xA1])
            ]
        ),
    ]

    @Test(
        "An app reads and writes values and receives notifications",
        arguments: Setting.oldestAndLatest
    )
    func values(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            let peripheral = try #require(application.peripheral)
            #expect(try await application.read(BlueZTable.page) == line(of: BlueZTable.pageValue))
            let value = BlueZTable.pattern(300, start: 3)
            let slate = try #require(application.find(BlueZTable.slate))
            peripheral.writeValue(Data(value), for: slate, type: .withResponse)
            #expect(try await application.awaitLine("wrote ") == "ok")
            #expect(try await bluez.servedValue(BlueZTable.slate) == value)
            for uuid in [BlueZTable.bell, BlueZTable.gong] {
                let source = try #require(application.find(uuid))
                peripheral.setNotifyValue(true, for: source)
                #expect(try await application.awaitLine("notifying ") == "true ok")
                try await bluez.notify([[1, 2], [3, 4]], of: uuid)
                #expect(try await application.awaitLine("value ") == line(of: [1, 2]))
                #expect(try await application.awaitLine("value ") == line(of: [3, 4]))
                peripheral.setNotifyValue(false, for: source)
                #expect(try await application.awaitLine("notifying ") == "false ok")
            }
        }
    }

    @Test(
        "Reading a protected value pairs without a request from the app",
        arguments: Setting.latestOnly
    )
    func pairing(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            #expect(try await application.read(Self.sealed) == line(of: [0x5E, 0xA1]))
            let peripheral = try #require(application.peripheral)
            // The bond is used on the next link.
            application.manager?.cancelPeripheralConnection(peripheral)
            #expect(try await application.awaitLine("disconnected ") == "ok")
            try await bluez.isAlone()
            // btvirt connects only to a peer that is already advertising.
            try await application.connectToFirst(BlueZTable.uuid)
            try await application.explore()
            #expect(try await application.read(Self.sealed) == line(of: [0x5E, 0xA1]))
            #expect(try bluez.pendingEvents("agent").count == 1)
        }
    }

    @Test(
        "An app is informed of services that BlueZ removes and finds those that it adds",
        arguments: Setting.crossed
    )
    func modifications(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            // After the second read, our host has announced its features to BlueZ and has
            // subscribed to Service Changed: each read waits for earlier ATT requests, the first
            // for the features, the second for the subscription.
            for _ in 0..<2 {
                let value = try await application.read(BlueZTable.label)
                #expect(value == line(of: BlueZTable.labelValue))
            }
            try await bluez.stopServing()
            let gone = try await application.awaitLine("modified ")
            #expect(gone.contains("FFF0") || gone.contains("FFB0"))
            try await bluez.serve([Self.services[1]], as: "again")
            // BlueZ reports each service on its own, and a report may arrive while our host
            // discovers.
            while application.find(Self.sealed) == nil {
                if try await application.exploreUndisturbed() {
                    guard application.find(Self.sealed) == nil else { break }
                    try await application.awaitLine("modified ")
                }
            }
            #expect(application.find(BlueZTable.page) == nil)
        }
    }

    @Test(
        "Powering BlueZ off disconnects the peripheral, and it connects again after power-on",
        arguments: Setting.latestOnly
    )
    func disconnection(_ setting: Setting) async throws {
        try await withApplication(setting) { application, bluez in
            let peripheral = try #require(application.peripheral)
            try await bluez.powerOff()
            #expect(try await application.awaitLine("disconnected ").hasPrefix("CBError"))
            try await bluez.restartDaemon()
            _ = try await bluez.becomeAccessory(serving: Self.services)
            // btvirt connects only to a peer that is already advertising.
            application.manager?.connect(peripheral)
            try await application.awaitLine("connected")
            try await application.explore()
            #expect(try await application.read(BlueZTable.label) == line(of: BlueZTable.labelValue))
        }
    }

    /// Gives `body` an app that is connected to BlueZ and has discovered all of its services.
    private func withApplication(
        _ setting: Setting,
        _ body: @escaping @Sendable (AccessoryApplication, BlueZ) async throws -> Void
    ) async throws {
        try await withBlueZ(setting, as: .peripheral, "CBCentralManager") { bluez in
            _ = try await bluez.becomeAccessory(serving: Self.services)
            let adapter = CBAdapter(transport: try await bluez.makeTransport())
            let application = AccessoryApplication(on: adapter)
            do {
                #expect(try await application.connect(to: BlueZTable.uuid) == AccessoryFixture.name)
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

/// Returns the line that reports a value.
private func line(of value: [UInt8]) -> String { "ok \(value.hexadecimal)" }
