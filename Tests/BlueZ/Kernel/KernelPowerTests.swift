// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetooth
import Foundation
import Lanyard
import ProcessTestSupport
import Testing

/// The power of BlueZ's machine is cut during a link, and restored.
///
/// An accessory that loses its battery behaves in the same way: it stops sending without a
/// disconnection.
@Suite(.machines) struct KernelPowerTests {
    /// A machine takes long to start, and the release makes no difference to our side.
    private static let setting = Setting.latest

    @Test("Pending connection requests reconnect a machine after a power cut")
    func powerCut() async throws {
        try await withKernel(
            Self.setting,
            as: .peripheral,
            "power cut",
            hasOwnMachine: true
        ) { fixture in
            let host = try await fixture.kernelAir.makeHost(.bonding)
            try await fixture.serveSharedService(for: 2)
            let shared = try await FoundSharedService(
                on: host.connect(to: KernelAir.kernelAddress)
            )
            _ = try await shared.link.pair()
            #expect(try await shared.link.read(shared.secret) == SharedService.secretValue)
            let central = try await Self.central(in: fixture)
            let accessory = try await central.accessory(Self.description)
            let changes = accessory.changes
            try await Self.reach(.ready, in: changes)

            #expect(try await fixture.problems() == [], "before the cut")
            try await shared.expectSilence { fixture.bluez.machine.cutPower() }
            try await Self.reach(.outOfRange, in: changes)

            // The machine is off. The connection requests stay pending while it starts.
            async let pending = host.connect(
                to: KernelAir.kernelAddress,
                options: .whenAvailable
            )
            try await fixture.bluez.restartMachine()
            try await fixture.serveSharedService(for: 2)
            let link = try await pending
            #expect(try await link.read(shared.secret.valueHandle) == SharedService.secretValue)
            #expect(try await link.security.isEncrypted, "by the bond that both have kept")
            try await Self.reach(.ready, in: changes)
            try await expectTicks(of: accessory, from: fixture.bluez)
            await central.shutDown()
        }
    }

    /// Returns the central of an app on the `Lanyard` module, which keeps its accessories connected
    /// by itself.
    private static func central(in fixture: KernelFixture) async throws -> AccessoryCentral {
        let endpoint = try await fixture.kernelAir.openEndpoint("application")
        var configuration = AccessoryCentral.Configuration(name: "power cut")
        configuration.adapter = CBAdapter("\(endpoint)")
        configuration.store = .file(
            URL(fileURLWithPath: fixture.kernelAir.folder + "/accessories.json")
        )
        return AccessoryCentral(for: [description], configuration: configuration)
    }

    /// Expects that the subscription is restored, and that the value can be read again.
    private func expectTicks(of accessory: Accessory, from bluez: BlueZ) async throws {
        #expect(try await accessory.read("FFE1") == Data(SharedService.firstValue))
        let ticks = try accessory.values(of: "FFE3")
        try await bluez.notify([[42]], of: SharedService.ticker)
        let tick = try await within(Limits.step, "a value") {
            for await tick in ticks { return tick }
            throw ProcessError.tooSlow("a value")
        }
        #expect(tick == Data([42]))
    }

    private static var description: AccessoryDescription {
        AccessoryDescription(
            kind: "shared service",
            matching: .service("FFE0"),
            services: [
                ServiceDescription("FFE0", [.read("FFE1"), .subscribe("FFE3")])
            ]
        )
    }

    private static func reach(
        _ state: AccessoryState,
        in changes: Events<AccessoryChange>
    ) async throws {
        try await within(Limits.boot, "the accessory is \(state)") {
            for await change in changes where change.state == state { return }
            throw ProcessError.tooSlow("\(state)")
        }
    }
}
