// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ subscribes to values and receives them.
@Suite(.machines) struct NotificationsToBlueZTests {
    @Test("BlueZ receives notifications in order until it unsubscribes", arguments: Setting.all)
    func notifications(_ setting: Setting) async throws {
        try await withServingHost(setting, "notifications") { server in
            let (client, link) = try await server.connectClient()
            let handle = try server.handle(ServerFixture.notified)
            let path = try await client.subscribe(to: ServerFixture.notified)
            try await server.application.subscription(of: handle, .notification)
            let values = (0..<100).map { ServerFixture.pattern(20, start: $0) }
            for value in values { try await link.notify(value, of: handle) }
            #expect(try await client.values(values.count, by: path) == values)
            let longest = ServerFixture.pattern(try await link.mtu - 3)
            try await link.notify(longest, of: handle)
            #expect(try await client.values(1, by: path) == [longest])
            try await client.unsubscribe(from: ServerFixture.notified)
            try await server.application.subscription(of: handle, nil)
            await #expect(throws: HostError.notSubscribed) {
                try await link.notify([0], of: handle)
            }
        }
    }

    /// Sending an indication returns when BlueZ has confirmed it, so a loop of indications keeps
    /// their order.
    @Test("BlueZ confirms each indication", arguments: Setting.all)
    func indications(_ setting: Setting) async throws {
        try await withServingHost(setting, "indications") { server in
            let (client, link) = try await server.connectClient()
            let handle = try server.handle(ServerFixture.indicated)
            let path = try await client.subscribe(to: ServerFixture.indicated)
            try await server.application.subscription(of: handle, .indication)
            let values = (0..<20).map { ServerFixture.pattern(20, start: $0) }
            for value in values { try await link.notify(value, of: handle) }
            #expect(try await client.values(values.count, by: path) == values)
            try await client.unsubscribe(from: ServerFixture.indicated)
            try await server.application.subscription(of: handle, nil)
        }
    }
}
