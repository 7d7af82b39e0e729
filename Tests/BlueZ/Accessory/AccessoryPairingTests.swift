// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host pairs with BlueZ in every way there is.
@Suite(.machines) struct AccessoryPairingTests {
    @Test(arguments: PairingWay.occasions)
    func everyAssociationModel(_ setting: Setting, way: PairingWay) async throws {
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
            // The keys are kept a moment after our side has all of them.
            try await scene.bluez.change(of: path, "Bonded", to: .boolean(true))
        }
    }
}

extension BlueZ {
    /// Has BlueZ pair in that way: without LE Secure Connections, as a device from before 4.2 does.
    func offer(_ generation: PairingWay.Generation) async throws {
        guard generation == .legacy else { return }
        try await manage(.setSecureConnections, [0])
    }
}
