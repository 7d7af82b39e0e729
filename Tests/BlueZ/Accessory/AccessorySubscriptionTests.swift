// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ notifies our host of its values.
@Suite(.machines) struct AccessorySubscriptionTests {
    private static let values = (0..<20).map { BlueZTable.pattern(20, start: UInt8($0)) }

    @Test("All notifications arrive in order", arguments: Setting.all)
    func notifications(_ setting: Setting) async throws {
        try await withAccessory(setting, "notifications") { fixture in
            try await Self.follow(BlueZTable.bell, in: fixture)
        }
    }

    @Test(
        "All indications arrive in order, and the host confirms each of them",
        arguments: Setting.all
    )
    func indications(_ setting: Setting) async throws {
        try await withAccessory(setting, "indications") { fixture in
            try await Self.follow(BlueZTable.gong, in: fixture)
            for _ in Self.values { _ = try await fixture.bluez.event("confirmed") }
        }
    }

    /// Subscribes, receives the values, and unsubscribes.
    private static func follow(_ uuid: BluetoothUUID, in fixture: AccessoryFixture) async throws {
        let (link, database) = try await fixture.connectAndExplore()
        let characteristic = try database.find(uuid)
        #expect(try await take(values.count, of: characteristic, on: link, in: fixture) == values)
        // The end of the stream ends the subscription.
        try await fixture.bluez.subscribed(uuid, false)
    }

    private static func take(
        _ count: Int,
        of characteristic: GATT.Characteristic,
        on link: Link,
        in fixture: AccessoryFixture
    ) async throws -> [[UInt8]] {
        let stream = try await link.subscribe(to: characteristic)
        try await fixture.bluez.subscribed(characteristic.uuid)
        try await fixture.bluez.notify(values, of: characteristic.uuid)
        return try await within(Limits.step, "\(count) values") {
            var taken: [[UInt8]] = []
            for try await value in stream {
                taken.append(value)
                if taken.count == count { break }
            }
            return taken
        }
    }
}
