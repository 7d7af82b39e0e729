// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetooth
import Foundation
import ProcessTestSupport
import Testing

/// An app on CoreBluetooth serves BlueZ.
@Suite(.machines) struct PeripheralManagerTests {
    private typealias Application = ServerProcess

    @Test("An app with a CBPeripheralManager serves BlueZ", arguments: Setting.all)
    func serves(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "CBPeripheralManager") { bluez in
            try await bluez.powerOn()
            try await withApplication(near: bluez) { application in
                _ = try await bluez.findServer()
                let client = Client(bluez: bluez, path: bluez.path(of: ServerFixture.address))
                try await client.connect()
                try await expectValues(client, application)
                try await expectUpdates(client, application)
                try await expectSecrets(client, application)
                try await expectChanges(client, application)
            }
        }
    }

    private func expectValues(_ client: Client, _ application: Application) async throws {
        #expect(try await client.read(Application.fixed.uuid) == ServerFixture.pattern(20))
        #expect(try await client.read(Application.dynamic.uuid) == ServerFixture.pattern(512))
        try await application.awaitLine("read A002")
        try await client.write(ServerFixture.pattern(300, start: 5), to: Application.dynamic.uuid)
        #expect(try await application.awaitLine("written ") == "300")
        #expect(
            try await client.read(Application.dynamic.uuid) == ServerFixture.pattern(300, start: 5)
        )
        try await client.write([1], to: Application.dynamic.uuid, as: .command)
        #expect(try await application.awaitLine("written ") == "1")
        await #expect(throws: Refusal("org.bluez.Error.NotSupported")) {
            try await client.write([0xFF], to: Application.dynamic.uuid)
        }
    }

    private func expectUpdates(_ client: Client, _ application: Application) async throws {
        let values = (0..<50).map { ServerFixture.pattern(20, start: $0) }
        let notified = try await client.subscribe(to: Application.notified.uuid)
        try await application.awaitLine("subscribed A003")
        application.send(values, as: Application.notified)
        #expect(try await client.values(values.count, by: notified) == values)
        let indicated = try await client.subscribe(to: Application.indicated.uuid)
        try await application.awaitLine("subscribed A004")
        application.send([[5]], as: Application.indicated)
        #expect(try await client.values(1, by: indicated) == [[5]])
        try await client.unsubscribe(from: Application.indicated.uuid)
        try await application.awaitLine("unsubscribed A004")
    }

    /// Expects that BlueZ pairs, and that it can then read the value that requires pairing.
    private func expectSecrets(_ client: Client, _ application: Application) async throws {
        if client.bluez.setting.release == .bookworm {
            // BlueZ 5.66 may lose the link over a pairing that it starts by itself.
            try await client.pair()
        } else {
            // BlueZ may lose the request for which it pairs; see `ServingHostFixture.askPairing`.
            _ = try? await client.read(Application.secret.uuid)
        }
        if try await client.properties["Paired"] != .boolean(true) {
            try await client.bluez.change(of: client.path, "Paired", to: .boolean(true))
        }
        #expect(try await readSecret(client) == [0xFF])
        _ = try await client.subscribe(to: Application.secret.uuid)
        try await application.awaitLine("subscribed A005")
    }

    /// Reads the value that requires pairing, and repeats a failed read: BlueZ 5.66 reports that it
    /// has paired a moment before the kernel passes its requests on.
    private func readSecret(_ client: Client) async throws -> [UInt8] {
        try await within(Limits.step, "the secret") {
            while true {
                do {
                    return try await client.read(Application.secret.uuid)
                } catch let refusal as Refusal where refusal.text.contains("0x0e") {}
            }
        }
    }

    private func expectChanges(_ client: Client, _ application: Application) async throws {
        let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "B001"),
            properties: .read,
            value: Data([7]),
            permissions: .readable
        )
        service.characteristics = [characteristic]
        application.add(service)
        try await application.awaitLine("added B000")
        try await client.learns(ofCharacteristic: BluetoothUUID(0xB001))
        #expect(try await client.read(BluetoothUUID(0xB001)) == [7])
        application.remove(service)
        try await client.unlearns(BluetoothUUID(0xB000))
    }
}

/// Gives `body` an app that advertises.
private func withApplication(
    near bluez: BlueZ,
    _ body: (ServerProcess) async throws -> Void
) async throws {
    var configuration = HostConfiguration()
    configuration.address = ServerFixture.address
    let adapter = CBAdapter(
        transport: try await bluez.makeTransport(),
        configuration: configuration
    )
    let application = ServerProcess(on: adapter)
    do {
        #expect(try await application.awaitLine("advertising ") == "ok")
        try await body(application)
    } catch {
        await adapter.shutDown()
        throw error
    }
    await adapter.shutDown()
}

extension String {
    /// The UUID in the type that the modules below the framework use.
    fileprivate var uuid: BluetoothUUID {
        guard let uuid = BluetoothUUID(self) else { preconditionFailure("\(self) is no UUID") }
        return uuid
    }
}
