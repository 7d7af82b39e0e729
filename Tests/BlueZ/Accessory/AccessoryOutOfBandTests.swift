// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import PairingTestSupport
import Testing

/// Our host pairs with BlueZ by out-of-band data.
@Suite(.machines) struct AccessoryOutOfBandTests {
    @Test(
        "Out-of-band data of either side authenticates the pairing without a user",
        arguments: Setting.eachRelease,
        Knowledge.allCases
    )
    func authentication(_ setting: Setting, knowledge: Knowledge) async throws {
        try await withAccessory(setting, "out of band") { fixture in
            let address = await fixture.host.identityAddress
            let policy = try await fixture.bluez.exchange(knowledge, with: address)
            let link = try await fixture.connect()
            let security = try await link.pair(policy)
            #expect(security.isAuthenticated)
            #expect(security.usesSecureConnections)
            #expect(await fixture.host.bonds.first?.security == security)
            #expect(fixture.person.experiences == [])
        }
    }

    @Test(
        "Out-of-band data that is not from BlueZ fails the pairing",
        arguments: Setting.latestOnly
    )
    func forgery(_ setting: Setting) async throws {
        try await withAccessory(setting, "out of band") { fixture in
            var generator = SplitMix64(seed: RunSeed.value)
            var policy = Pairing.Policy()
            policy.peerOutOfBandData =
                Pairing.LocalOutOfBandData.make(using: &generator)?.data
            _ = try await fixture.bluez.readOutOfBandData()
            let link = try await fixture.connect()
            await #expect(throws: Pairing.Failure.refused(.confirmValueFailed)) {
                try await link.pair(policy)
            }
            #expect(await fixture.host.bonds == [])
        }
    }
}
