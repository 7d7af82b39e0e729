// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// BlueZ pairs with our host by out-of-band data.
@Suite(.machines) struct OutOfBandWithBlueZTests {
    @Test(arguments: Setting.eachRelease, Knowledge.allCases)
    func whoKnowsTheOtherNeedsNoPerson(_ setting: Setting, knowledge: Knowledge) async throws {
        try await withBlueZ(setting, as: .central, "out of band") { bluez in
            try await bluez.powerOn()
            let policy = try await bluez.exchange(knowledge, with: Stall.address)
            let plan = StallPlan.such { plan in
                plan.services = [Stall.guarded]
                plan.configuration.pairing = policy
            }
            try await withStall(near: bluez, plan) { stall in
                let (visitor, link) = try await stall.arrive()
                try await visitor.pair()
                #expect(try await visitor.read(Stall.secret) == Stall.treasure)
                let security = try await link.security
                #expect(security.isAuthenticated && security.usesSecureConnections)
                #expect(await stall.host.bonds.map(\.security) == [security])
                #expect(stall.person.experiences == [])
                #expect(try bluez.pendingEvents("agent") == [])
            }
        }
    }
}
