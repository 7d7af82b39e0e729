// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ opens bearers in addition to the first (Vol 3, Part G, 5.3), and uses our server over
/// them. Debian 12's kernel supports channels for these bearers only with an option.
@Suite(.machines) struct EnhancedBearersTests {
    /// The count in BlueZ's configuration, which includes the first bearer.
    private static let channels = 3

    @Test(
        "BlueZ reads and writes values over Enhanced ATT bearers",
        arguments: Setting.all.filter { $0.release == .trixie }
    )
    func bearers(_ setting: Setting) async throws {
        var configuration = BlueZConfiguration()
        configuration.channels = Self.channels
        try await withBlueZ(setting, as: .central, "Enhanced ATT", configuration) {
            bluez in
            try await bluez.powerOn()
            try await withServer(near: bluez) { server in
                let (client, link) = try await server.connectClient()
                try await client.pair()
                // BlueZ opens them in the background without a report.
                let end = ContinuousClock.now + Limits.step
                while await link.enhancedBearerCount < Self.channels - 1,
                    ContinuousClock.now < end
                {
                    #expect(try await client.read(ServerFixture.short) == ServerFixture.pattern(20))
                }
                #expect(await link.enhancedBearerCount == Self.channels - 1)
                // No request of the first bearer is pending after this one.
                _ = try await client.read(ServerFixture.short)
                let count = server.recorder.requests.count
                #expect(try await client.read(ServerFixture.long) == ServerFixture.pattern(512))
                try await client.write([1, 2], to: ServerFixture.long)
                #expect(try await client.read(ServerFixture.long) == [1, 2])
                // None of the requests used the first bearer.
                #expect(server.recorder.requests.count == count)
            }
        }
    }
}
