// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// BlueZ pairs with our host by out-of-band data.
@Suite(.machines) struct OutOfBandWithBlueZTests {
    @Test(
        "Out-of-band data of either side authenticates the pairing without a user",
        arguments: Setting.eachRelease,
        Knowledge.allCases
    )
    func authentication(_ setting: Setting, knowledge: Knowledge) async throws {
        try await withBlueZ(setting, as: .central, "out of band") { bluez in
            try await bluez.powerOn()
            let policy = try await bluez.exchange(knowledge, with: ServerFixture.address)
            let plan = ServerPlan.such { plan in
                plan.services = [ServerFixture.protected]
                plan.configuration.pairing = policy
            }
            try await withServer(near: bluez, plan) { server in
                let (client, link) = try await server.connectClient()
                try await client.pair()
                #expect(try await client.read(ServerFixture.secret) == ServerFixture.protectedValue)
                let security = try await link.security
                #expect(security.isAuthenticated && security.usesSecureConnections)
                #expect(await server.host.bonds.map(\.security) == [security])
                #expect(server.person.experiences == [])
                #expect(try bluez.pendingEvents("agent") == [])
            }
        }
    }
}
