// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ requests values that our host serves only on links with sufficient security.
@Suite(.machines) struct ProtectedAttributesTests {
    /// BlueZ pairs by itself after the refusal. With BlueZ 5.66, which may lose the link in that
    /// case, the test requests the pairing.
    @Test("BlueZ pairs after a refusal and then reads protected values", arguments: Setting.all)
    func pairing(_ setting: Setting) async throws {
        let plan = ServerPlan.such { plan in
            plan.services = [ServerFixture.protected]
            plan.configuration.pairing.ioCapability = .displayYesNo
        }
        try await withBlueZ(setting, as: .central, "protected attributes") { bluez in
            try await bluez.powerOn(io: .displayYesNo)
            try await withServer(near: bluez, plan) { server in
                let (client, link) = try await server.connectClient()
                #expect(try await link.security.isEncrypted == false)
                if setting.release == .bookworm { try await client.pair() }
                let secret = try await server.askPairing {
                    try await client.read(ServerFixture.secret)
                }
                #expect(secret == ServerFixture.protectedValue)
                #expect(try await link.security.isEncrypted)
                try await server.askPairing {
                    try await client.write([1, 2], to: ServerFixture.topSecret)
                }
                try await expectSteps(client, link)
                try await expectAuthorization(client, link)
                try await expectUpdates(server, client, link)
            }
        }
    }

    /// Expects that the value that requires authentication has been written, and that the link is
    /// authenticated.
    private func expectSteps(_ client: Client, _ link: Link) async throws {
        #expect(try await client.read(ServerFixture.topSecret) == [1, 2])
        #expect(try await link.security.isAuthenticated)
    }

    /// Expects that a value that requires the application's authorization is refused until the
    /// application grants it.
    private func expectAuthorization(_ client: Client, _ link: Link) async throws {
        await #expect(throws: Refusal("org.bluez.Error.NotAuthorized")) {
            try await client.read(ServerFixture.personal)
        }
        try await link.authorize()
        #expect(try await client.read(ServerFixture.personal) == ServerFixture.protectedValue)
    }

    private func expectUpdates(
        _ server: ServingHostFixture,
        _ client: Client,
        _ link: Link
    ) async throws {
        let handle = try server.handle(ServerFixture.secret)
        let path = try await client.subscribe(to: ServerFixture.secret)
        try await server.application.subscription(of: handle, .notification)
        try await link.notify([4, 5], of: handle)
        try await client.value([4, 5], by: path)
    }
}
