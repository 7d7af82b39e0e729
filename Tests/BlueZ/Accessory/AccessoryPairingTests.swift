// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host pairs with BlueZ by every association model except out-of-band.
@Suite(.machines) struct AccessoryPairingTests {
    @Test(
        "The host and BlueZ reach the expected security by each association model",
        arguments: PairingVariant.occasions
    )
    func associationModels(_ setting: Setting, variant: PairingVariant) async throws {
        try await withAccessory(setting, variant.scenario, io: variant.theirs) { configuration in
            configuration.pairing = variant.policy
        } _: { fixture in
            try await fixture.bluez.offer(variant.generation)
            let people = PairingPeople(fixture, variant)
            let link = try await fixture.connect()
            #expect(try await people.pair(on: link) == variant.security)
            #expect(try await link.security == variant.security)
            try await people.expectExperiences()
            let bond = try #require(await fixture.host.bonds.first)
            #expect(bond.identity == fixture.address)
            #expect(bond.security == variant.security)
            let path = fixture.bluez.path(of: await fixture.host.identityAddress)
            // BlueZ stores the keys a moment after our side has all of them.
            try await fixture.bluez.change(of: path, "Bonded", to: .boolean(true))
        }
    }
}

extension BlueZ {
    /// Configures BlueZ for a pairing generation: `legacy` turns LE Secure Connections off, as on a
    /// device from before Bluetooth 4.2.
    func offer(_ generation: PairingVariant.Generation) async throws {
        guard generation == .legacy else { return }
        try await manage(.setSecureConnections, [0])
    }
}
