// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// The Bumble client has the behavior that the tests of our server rely on. These tests use
/// Bumble's own server.
@Suite(.needsPeers) struct ClientTests {
    @Test("The Bumble client discovers the database that the server describes")
    func discovery() async throws {
        try await withPeers { peers in
            let (client, accessory) = try await connectedClient(peers, .large)
            #expect(try await client.dump().differences(from: accessory.database["services"]) == [])
        }
    }

    @Test("The Bumble client reads values by every procedure and writes a value")
    func readsAndWrites() async throws {
        try await withPeers { peers in
            let (client, _) = try await connectedClient(peers, .demo)
            let short = try await client.handle(Demo.short)
            let writable = try await client.handle(Demo.writable)
            #expect(try await client.read(short) == Demo.pattern(20))
            #expect(try await client.readLong(client.handle(Demo.long)) == Demo.pattern(512))
            try await client.write([1, 2], to: writable)
            #expect(try await client.read([short, writable]) == [Demo.pattern(20), [1, 2]])
            #expect(try await client.readJoined([writable, writable]) == [1, 2, 1, 2])
            #expect(try await client.read(uuid: Demo.writable).map(\.value) == [[1, 2]])
            #expect(try await client.exchange([0x0A, 0xFF, 0xFF]) == [1, 0x0A, 0xFF, 0xFF, 1])
            await #expect(throws: Client.Failure.refused(.invalidHandle)) {
                try await client.read(.last)
            }
        }
    }

    @Test("A subscribed Bumble client receives values")
    func subscription() async throws {
        try await withPeers { peers in
            let (client, _) = try await connectedClient(peers, .demo)
            let indicated = try await client.handle(Demo.indicated)
            try await client.subscribe(to: indicated, indicates: true)
            let values = try await client.values(3, of: indicated)
            #expect(values.map(\.bytes.littleEndianValue) == [0, 1, 2])
            #expect(values.allSatisfy { $0.kind == .indication })
            try await client.disconnect()
            await #expect(throws: Client.Failure.self) { try await client.read(indicated) }
        }
    }

    /// Returns a client that is connected to a Bumble accessory.
    private func connectedClient(
        _ peers: PeerGroup,
        _ profile: Accessory.Profile
    ) async throws -> (Client, Accessory) {
        let controllers = try await peers.controllers(.bumble)
        let accessory = try await peers.accessory(profile, on: controllers.adapters[0])
        let client = try await peers.client(on: controllers.adapters[1])
        try await client.connect(name: accessory.name)
        return (client, accessory)
    }
}
