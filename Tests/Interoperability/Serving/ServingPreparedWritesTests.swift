// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Several Bumble clients prepare writes at once, and no client sees or changes the writes of
/// another client.
@Suite(.needsPeers) struct ServingPreparedWritesTests {
    private static let partLength = 128

    @Test(
        "The server keeps the prepared writes of two clients apart",
        arguments: ControllerKind.available
    )
    func twoClients(kind: ControllerKind) async throws {
        try await withServer(on: kind, clientLimit: 2, serving: [SampleValues.service]) { server in
            let long = try server.handle(SampleValues.long)
            let (first, _) = try await server.client(at: 0)
            let (second, _) = try await server.client(at: 1)
            let values = [
                [UInt8](repeating: 0xAA, count: 512), [UInt8](repeating: 0xBB, count: 512),
            ]
            for offset in stride(from: 0, to: 512, by: Self.partLength) {
                for (client, value) in zip([first, second], values) {
                    let part = value[offset..<offset + Self.partLength]
                    try await client.prepare(Array(part), at: offset, of: long)
                }
            }
            #expect(try await first.readLong(long) == Demo.pattern(512))
            try await second.execute()
            #expect(await server.host.value(of: long) == values[1])
            try await first.execute()
            #expect(await server.host.value(of: long) == values[0])
        }
    }

    @Test(
        "Reliable writes of two clients take effect one after the other",
        arguments: ControllerKind.available
    )
    func reliableWrites(kind: ControllerKind) async throws {
        try await withServer(on: kind, clientLimit: 2, serving: [SampleValues.service]) { server in
            let (long, other) = (
                try server.handle(SampleValues.long), try server.handle(SampleValues.other)
            )
            let (first, _) = try await server.client(at: 0)
            let (second, _) = try await server.client(at: 1)
            try await first.prepare([1], at: 0, of: long)
            try await second.prepare([2], at: 0, of: long)
            try await second.prepare([2, 2], at: 0, of: other)
            try await first.prepare([1, 1], at: 0, of: other)
            async let one: Void = first.execute()
            async let two: Void = second.execute()
            _ = try await (one, two)
            let values = [
                await server.host.value(of: long), await server.host.value(of: other),
            ]
            // Both values are from the client that executed its writes last.
            #expect(values == [[1], [1, 1]] || values == [[2], [2, 2]])
        }
    }

    @Test(
        "The server discards canceled and abandoned prepared writes",
        arguments: ControllerKind.available
    )
    func discardedWrites(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let other = try server.handle(SampleValues.other)
            let (client, link) = try await server.client()
            try await client.prepare([1], at: 0, of: other)
            try await client.execute(writes: false)
            try await client.execute()
            #expect(await server.host.value(of: other) == [])
            try await client.prepare([1], at: 0, of: other)
            try await client.disconnect()
            try await server.disconnection(of: link)
            _ = try await server.connect(client)
            try await client.execute()
            #expect(await server.host.value(of: other) == [])
        }
    }

    @Test(
        "The server discards all prepared writes if one of them is invalid",
        arguments: ControllerKind.available
    )
    func invalidPart(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (long, other) = (
                try server.handle(SampleValues.long), try server.handle(SampleValues.other)
            )
            let (client, _) = try await server.client()
            try await client.prepare([1], at: 0, of: other)
            try await client.prepare([1], at: 513, of: long)
            await #expect(throws: Client.Failure.refused(.invalidOffset)) {
                try await client.execute()
            }
            #expect(await server.host.value(of: other) == [])
            #expect(try await client.readLong(long) == Demo.pattern(512))
        }
    }

    @Test(
        "A full queue of prepared writes affects only its own client",
        arguments: ControllerKind.available
    )
    func fullQueue(kind: ControllerKind) async throws {
        try await withServer(on: kind, clientLimit: 2, serving: [SampleValues.service]) { server in
            let other = try server.handle(SampleValues.other)
            let (greedy, _) = try await server.client(at: 0)
            let (modest, _) = try await server.client(at: 1)
            await #expect(throws: Client.Failure.refused(.prepareQueueFull)) {
                for _ in 0..<10_000 { try await greedy.prepare([1], at: 0, of: other) }
            }
            try await modest.prepare([2], at: 0, of: other)
            try await modest.execute()
            #expect(await server.host.value(of: other) == [2])
            try await greedy.execute(writes: false)
            #expect(try await greedy.read(other) == [2])
        }
    }
}
