// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import ProcessTestSupport
import Testing

/// An `AccessoryCentral` of the `Lanyard` module connects to BlueZ and keeps it ready for use.
/// Automatic reconnection is tested on our own controllers, because btvirt connects only to a peer
/// that is already advertising.
@Suite(.machines) struct AccessoryKeepingTests {
    private static let description = AccessoryDescription(
        kind: "table",
        matching: .service("FFF0"),
        services: [
            ServiceDescription("FFF0", [.read("FFF1"), .write("FFF3"), .subscribe("FFF5")])
        ]
    )

    @Test(
        "An AccessoryCentral uses BlueZ, and reports it as out of range after its power-off",
        arguments: Setting.all
    )
    func keeping(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "AccessoryCentral") { bluez in
            _ = try await bluez.becomeAccessory()
            let adapter = CBAdapter(transport: try await bluez.makeTransport())
            let central = AccessoryCentral(
                for: [Self.description],
                configuration: Self.configuration(adapter)
            )
            do {
                try await Self.keep(central, bluez)
            } catch {
                await central.shutDown()
                await adapter.shutDown()
                throw error
            }
            await central.shutDown()
            await adapter.shutDown()
        }
    }

    private static func keep(_ central: AccessoryCentral, _ bluez: BlueZ) async throws {
        let accessory = try await central.accessory(description)
        #expect(accessory.name == AccessoryFixture.name)
        #expect(Array(try await accessory.read("FFF1")) == BlueZTable.labelValue)
        try await accessory.write(Data([1, 2, 3]), to: "FFF3")
        #expect(try await bluez.servedValue(BlueZTable.slate) == [1, 2, 3])
        let values = try accessory.values(of: "FFF5")
        try await bluez.subscribed(BlueZTable.bell)
        try await bluez.notify([[1]], of: BlueZTable.bell)
        #expect(try await next(values) == Data([1]))

        let changes = accessory.changes
        try await bluez.powerOff()
        try await reach(.outOfRange, in: changes)
    }

    private static func configuration(_ adapter: CBAdapter) -> AccessoryCentral.Configuration {
        var configuration = AccessoryCentral.Configuration(name: "bluez")
        configuration.adapter = adapter
        configuration.store = .memory
        configuration.restores = false
        return configuration
    }

    private static func next(_ values: Events<Data>) async throws -> Data {
        try await within(Limits.step, "a value") {
            for await value in values { return value }
            throw ProcessError.tooSlow("a value")
        }
    }

    private static func reach(
        _ state: AccessoryState,
        in changes: Events<AccessoryChange>
    ) async throws {
        try await within(Limits.discovery, "\(state)") {
            for await change in changes where change.state == state { return }
            throw ProcessError.tooSlow("\(state)")
        }
    }
}
