// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import ProcessTestSupport
import Testing

/// BlueZ caches the result of a discovery, and discovers again only after a change (Vol 3, Part G,
/// 2.5.2).
@Suite(.machines) struct BlueZCacheTests {
    /// The database changes while BlueZ is connected. BlueZ receives Service Changed, and discovers
    /// the change.
    @Test("A connected BlueZ discovers changes of the database", arguments: Setting.all)
    func serviceChanged(_ setting: Setting) async throws {
        try await withServingHost(setting, "Service Changed") { server in
            let (client, _) = try await server.connectClient()
            #expect(try await !client.knows(ServerFixture.addedService.uuid))
            let added = try await server.host.publish(ServerFixture.addedService)
            try await client.learns(ofCharacteristic: ServerFixture.uuid(0x301))
            #expect(try await client.read(ServerFixture.uuid(0x301)) == [7])
            try await server.host.unpublish(added)
            try await client.unlearns(ServerFixture.addedService.uuid)
            #expect(try await client.read(ServerFixture.short) == ServerFixture.pattern(20))
        }
    }

    /// The database did not change between two links: BlueZ reads only the database hash.
    @Test(
        "A bonded BlueZ reads only the hash of an unchanged database when it reconnects",
        arguments: Setting.all
    )
    func unchanged(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "unchanged cache") { bluez in
            let plan = Self.plan(with: [ServerFixture.definition])
            try await bond(plan, near: bluez)
            try await withServer(near: bluez, plan) { server in
                try await server.reconnect()
                #expect(
                    try await server.client.read(ServerFixture.short) == ServerFixture.pattern(20)
                )
                #expect(server.recorder.discoveries == [])
                #expect(server.recorder.requests.contains { $0.reads(Self.hash) })
            }
        }
    }

    /// All handles moved between two links, because our host restarted with another service before
    /// the others: BlueZ does not use the outdated handles.
    @Test("A bonded BlueZ discovers a changed database when it reconnects", arguments: Setting.all)
    func changed(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "robust caching") { bluez in
            let before = Self.plan(with: [ServerFixture.definition])
            var after = before
            after.services = [ServerFixture.addedService, ServerFixture.definition]
            try await bond(before, near: bluez)
            try await withServer(near: bluez, after) { server in
                try await server.reconnect()
                try await server.client.learns(ofCharacteristic: ServerFixture.uuid(0x301))
                #expect(!server.recorder.discoveries.isEmpty)
                #expect(
                    try await server.client.read(ServerFixture.short) == ServerFixture.pattern(20)
                )
                #expect(try await server.client.read(ServerFixture.uuid(0x301)) == [7])
            }
            // After one report, BlueZ caches the new database as it cached the old one.
            try await withServer(near: bluez, after) { server in
                try await server.reconnect()
                #expect(
                    try await server.client.read(ServerFixture.short) == ServerFixture.pattern(20)
                )
                #expect(server.recorder.discoveries == [])
            }
        }
    }

    private static let hash = BluetoothUUID(0x2B2A)

    private static func plan(with services: [GATT.ServiceDefinition]) -> ServerPlan {
        .such { plan in
            plan.services = services
            plan.configuration.store = MemoryStore()
        }
    }

    /// Makes BlueZ discover the database and pair.
    private func bond(_ plan: ServerPlan, near bluez: BlueZ) async throws {
        try await bluez.powerOn()
        try await withServer(near: bluez, plan) { server in
            let (_, link) = try await server.connectClient()
            try await server.pair()
            #expect(!server.recorder.discoveries.isEmpty)
            try await server.disconnect(link)
        }
    }
}

extension Client {
    /// Returns whether BlueZ has an object for a service.
    func knows(_ service: BluetoothUUID) async throws -> Bool {
        try await bluez.tree(path).members.values.contains {
            $0["org.bluez.GattService1"]["UUID"].text == service.bluez
        }
    }

    /// Waits until BlueZ has a new object for a characteristic.
    func learns(ofCharacteristic uuid: BluetoothUUID) async throws {
        _ = try await bluez.event("added") { [path] in
            $0["path"].text?.hasPrefix(path) == true && $0["uuid"].text == uuid.bluez
        }
    }

    /// Waits until BlueZ has no object for a service.
    func unlearns(_ service: BluetoothUUID) async throws {
        while try await knows(service) {
            _ = try await bluez.event("removed") { [path] in
                $0["path"].text?.hasPrefix(path + "/service") == true
            }
        }
    }
}

extension [UInt8] {
    /// Returns whether the PDU is a Read By Type Request for values of this type.
    fileprivate func reads(_ type: BluetoothUUID) -> Bool {
        first == ATT.Opcode.readByTypeRequest.rawValue
            && suffix(type.attBytes.count) == type.attBytes[...]
    }
}
