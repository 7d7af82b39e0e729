// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ notifies our host of its values.
@Suite(.machines) struct AccessorySubscriptionTests {
    private static let values = (0..<20).map { BlueZTable.pattern(20, start: UInt8($0)) }

    @Test("All notifications arrive in order", arguments: Setting.all)
    func notifications(_ setting: Setting) async throws {
        try await withAccessory(setting, "notifications") { scene in
            try await Self.follow(BlueZTable.bell, in: scene)
        }
    }

    @Test(
        "All indications arrive in order, and the host confirms each of them",
        arguments: Setting.all
    )
    func indications(_ setting: Setting) async throws {
        try await withAccessory(setting, "indications") { scene in
            try await Self.follow(BlueZTable.gong, in: scene)
            for _ in Self.values { _ = try await scene.bluez.event("confirmed") }
        }
    }

    /// Subscribes, receives the values, and unsubscribes.
    private static func follow(_ uuid: BluetoothUUID, in scene: AccessoryScene) async throws {
        let (link, database) = try await scene.connectAndExplore()
        let characteristic = try database.find(uuid)
        #expect(try await take(values.count, of: characteristic, on: link, in: scene) == values)
        // The end of the stream ends the subscription.
        try await scene.bluez.subscribed(uuid, false)
    }

    private static func take(
        _ count: Int,
        of characteristic: GATT.Characteristic,
        on link: Link,
        in scene: AccessoryScene
    ) async throws -> [[UInt8]] {
        let stream = try await link.subscribe(to: characteristic)
        try await scene.bluez.subscribed(characteristic.uuid)
        try await scene.bluez.notify(values, of: characteristic.uuid)
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
