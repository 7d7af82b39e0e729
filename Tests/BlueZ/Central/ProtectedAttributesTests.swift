// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ requests values that our host serves only on links with sufficient security.
@Suite(.machines) struct ProtectedAttributesTests {
    /// The refusal makes BlueZ pair by itself. BlueZ 5.66 also does, but may lose the link over it,
    /// so the test tells it to pair.
    @Test(arguments: Setting.all)
    func whoIsRefusedPairsAndIsServed(_ setting: Setting) async throws {
        let plan = StallPlan.such { plan in
            plan.services = [Stall.guarded]
            plan.configuration.pairing.ioCapability = .displayYesNo
        }
        try await withBlueZ(setting, as: .central, "protected attributes") { bluez in
            try await bluez.powerOn(io: .displayYesNo)
            try await withStall(near: bluez, plan) { stall in
                let (visitor, link) = try await stall.arrive()
                #expect(try await link.security.isEncrypted == false)
                if setting.release == .bookworm { try await visitor.pair() }
                let secret = try await stall.askPairing { try await visitor.read(Stall.secret) }
                #expect(secret == Stall.treasure)
                #expect(try await link.security.isEncrypted)
                try await stall.askPairing { try await visitor.write([1, 2], to: Stall.topSecret) }
                try await expectSteps(visitor, link)
                try await expectAuthorization(visitor, link)
                try await expectUpdates(stall, visitor, link)
            }
        }
    }

    /// A value that requires authentication gets it, though the link was encrypted without
    /// authentication before.
    private func expectSteps(_ visitor: Visitor, _ link: Link) async throws {
        #expect(try await visitor.read(Stall.topSecret) == [1, 2])
        #expect(try await link.security.isAuthenticated)
    }

    /// A value that requires the application's authorization is refused until the application
    /// grants it.
    private func expectAuthorization(_ visitor: Visitor, _ link: Link) async throws {
        await #expect(throws: Refusal("org.bluez.Error.NotAuthorized")) {
            try await visitor.read(Stall.personal)
        }
        try await link.authorize()
        #expect(try await visitor.read(Stall.personal) == Stall.treasure)
    }

    private func expectUpdates(
        _ stall: StallVisit,
        _ visitor: Visitor,
        _ link: Link
    ) async throws {
        let handle = try stall.handle(Stall.secret)
        let path = try await visitor.subscribe(to: Stall.secret)
        try await stall.keeper.subscription(of: handle, .notification)
        try await link.notify([4, 5], of: handle)
        try await visitor.value([4, 5], by: path)
    }
}
