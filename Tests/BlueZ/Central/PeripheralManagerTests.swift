// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetooth
import Foundation
import ProcessTestSupport
import Testing

/// An application as a developer would write it for a phone serves BlueZ.
@Suite(.machines) struct PeripheralManagerTests {
    private typealias Application = MarketApplication

    @Test(arguments: Setting.all)
    func anApplicationOfAPhoneServesBlueZ(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "CBPeripheralManager") { bluez in
            try await bluez.powerOn()
            try await withApplication(near: bluez) { application in
                _ = try await bluez.findStall()
                let visitor = Visitor(bluez: bluez, path: bluez.path(of: Stall.address))
                try await visitor.connect()
                try await expectValues(visitor, application)
                try await expectUpdates(visitor, application)
                try await expectSecrets(visitor, application)
                try await expectChanges(visitor, application)
            }
        }
    }

    private func expectValues(_ visitor: Visitor, _ application: Application) async throws {
        #expect(try await visitor.read(Application.fixed.uuid) == Stall.pattern(20))
        #expect(try await visitor.read(Application.dynamic.uuid) == Stall.pattern(512))
        try await application.hear("read A002")
        try await visitor.write(Stall.pattern(300, start: 5), to: Application.dynamic.uuid)
        #expect(try await application.hear("written ") == "300")
        #expect(
            try await visitor.read(Application.dynamic.uuid) == Stall.pattern(300, start: 5)
        )
        try await visitor.write([1], to: Application.dynamic.uuid, as: .command)
        #expect(try await application.hear("written ") == "1")
        await #expect(throws: Refusal("org.bluez.Error.NotSupported")) {
            try await visitor.write([0xFF], to: Application.dynamic.uuid)
        }
    }

    private func expectUpdates(_ visitor: Visitor, _ application: Application) async throws {
        let values = (0..<50).map { Stall.pattern(20, start: $0) }
        let notified = try await visitor.subscribe(to: Application.notified.uuid)
        try await application.hear("subscribed A003")
        application.send(values, as: Application.notified)
        #expect(try await visitor.values(values.count, by: notified) == values)
        let indicated = try await visitor.subscribe(to: Application.indicated.uuid)
        try await application.hear("subscribed A004")
        application.send([[5]], as: Application.indicated)
        #expect(try await visitor.values(1, by: indicated) == [[5]])
        try await visitor.unsubscribe(from: Application.indicated.uuid)
        try await application.hear("unsubscribed A004")
    }

    /// A refused BlueZ pairs, because the table has values that require pairing.
    private func expectSecrets(_ visitor: Visitor, _ application: Application) async throws {
        if visitor.bluez.setting.release == .bookworm {
            // BlueZ 5.66 may lose the link over a pairing that it starts by itself.
            try await visitor.pair()
        } else {
            // BlueZ may lose the request for which it pairs; see `StallVisit.askPairing`.
            _ = try? await visitor.read(Application.secret.uuid)
        }
        if try await visitor.properties["Paired"] != .boolean(true) {
            try await visitor.bluez.change(of: visitor.path, "Paired", to: .boolean(true))
        }
        #expect(try await readSecret(visitor) == [0xFF])
        _ = try await visitor.subscribe(to: Application.secret.uuid)
        try await application.hear("subscribed A005")
    }

    /// BlueZ 5.66 reports that it has paired a moment before the kernel passes its requests on.
    private func readSecret(_ visitor: Visitor) async throws -> [UInt8] {
        try await within(Limits.step, "the secret") {
            while true {
                do {
                    return try await visitor.read(Application.secret.uuid)
                } catch let refusal as Refusal where refusal.text.contains("0x0e") {}
            }
        }
    }

    private func expectChanges(_ visitor: Visitor, _ application: Application) async throws {
        let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "B001"),
            properties: .read,
            value: Data([7]),
            permissions: .readable
        )
        service.characteristics = [characteristic]
        application.add(service)
        try await application.hear("added B000")
        try await visitor.learns(ofCharacteristic: BluetoothUUID(0xB001))
        #expect(try await visitor.read(BluetoothUUID(0xB001)) == [7])
        application.remove(service)
        try await visitor.unlearns(BluetoothUUID(0xB000))
    }
}

/// Gives `body` an advertising application of this kind.
private func withApplication(
    near bluez: BlueZ,
    _ body: (MarketApplication) async throws -> Void
) async throws {
    var configuration = HostConfiguration()
    configuration.address = Stall.address
    let adapter = CBAdapter(
        transport: try await bluez.makeTransport(),
        configuration: configuration
    )
    let application = MarketApplication(on: adapter)
    do {
        #expect(try await application.hear("advertising ") == "ok")
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
