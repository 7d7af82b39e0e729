// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host pairs with BlueZ by every association model except out-of-band.
@Suite(.machines) struct AccessoryPairingTests {
    @Test(
        "The host and BlueZ reach the expected security by each association model",
        arguments: PairingWay.occasions
    )
    func associationModels(_ setting: Setting, way: PairingWay) async throws {
        try await withAccessory(setting, way.scenario, io: way.theirs) { configuration in
            configuration.pairing = way.policy
        } _: { scene in
            try await scene.bluez.offer(way.generation)
            let people = PairingPeople(scene, way)
            let link = try await scene.connect()
            #expect(try await people.pair(on: link) == way.security)
            #expect(try await link.security == way.security)
            try await people.expectExperiences()
            let bond = try #require(await scene.host.bonds.first)
            #expect(bond.identity == scene.address)
            #expect(bond.security == way.security)
            let path = scene.bluez.path(of: await scene.host.identityAddress)
            // BlueZ stores the keys a moment after our side has all of them.
            try await scene.bluez.change(of: path, "Bonded", to: .boolean(true))
        }
    }
}

extension BlueZ {
    /// Configures BlueZ for a pairing generation: `legacy` turns LE Secure Connections off, as on a
    /// device from before Bluetooth 4.2.
    func offer(_ generation: PairingWay.Generation) async throws {
        guard generation == .legacy else { return }
        try await manage(.setSecureConnections, [0])
    }
}
