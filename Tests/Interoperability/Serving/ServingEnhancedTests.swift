// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Bumble uses our server over an Enhanced ATT bearer: an L2CAP channel in addition to the fixed
/// channel.
@Suite(.needsPeers) struct ServingEnhancedTests {
    @Test(
        "Bumble reads and writes values over an Enhanced ATT bearer",
        arguments: ControllerKind.available
    )
    func readsAndWrites(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            configuration: BondedClient.configuration(isAuthenticated: false),
            serving: [SampleValues.service]
        ) { server in
            let long = try server.handle(SampleValues.long)
            let (client, _) = try await server.client()
            try await client.encrypt(with: BondedClient.key)
            try await client.perform("enhance")
            #expect(try await client.readLong(long) == Demo.pattern(512))
            try await client.writeLong(SampleValues.countdown, to: long)
            #expect(await server.host.value(of: long) == SampleValues.countdown)
        }
    }

    /// One request at a time is the rule for a bearer, not for a link.
    @Test("A pending request blocks only its own bearer", arguments: ControllerKind.available)
    func pendingRequest(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            configuration: BondedClient.configuration(isAuthenticated: false),
            serving: [SampleValues.service]
        ) { server in
            let dynamic = try server.handle(SampleValues.dynamic)
            let (client, _) = try await server.client()
            try await client.encrypt(with: BondedClient.key)
            try await client.perform("enhance")
            // This read is on the unenhanced bearer, and the application has not answered it yet.
            try await client.send([
                0x0A, UInt8(dynamic.rawValue & 0xFF), UInt8(dynamic.rawValue >> 8),
            ])
            let question = try await server.recorder.next("a read") {
                if case .read(let request) = $0 { request } else { nil }
            }
            #expect(try await client.read(server.handle(SampleValues.short)) == Demo.pattern(20))
            question.respond(with: [1])
        }
    }

    @Test(
        "The server refuses an Enhanced ATT bearer on an unencrypted link",
        arguments: ControllerKind.available
    )
    func unencrypted(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, _) = try await server.client()
            await #expect(throws: Client.Failure.self) { try await client.perform("enhance") }
            #expect(try await client.read(server.handle(SampleValues.short)) == Demo.pattern(20))
        }
    }
}
