// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// After a client is killed in the middle of a procedure, the server serves the next client.
@Suite(.needsPeers) struct ServingVanishingTests {
    /// The procedure during which a client is killed.
    enum Procedure: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case reading, preparing, beingNotified, beingIndicated, nothing

        var testDescription: String { rawValue }
    }

    @Test(
        "The server serves the next client after a client was killed",
        arguments: ControllerKind.available,
        Procedure.allCases
    )
    func killedClient(kind: ControllerKind, procedure: Procedure) async throws {
        try await withServer(on: kind, clientLimit: 2, serving: [SampleValues.service]) { server in
            let (client, link) = try await server.client(at: 0)
            let work = try await begin(procedure, client, link, server)
            client.process.kill()
            try await server.disconnection(of: link)
            if let work { await #expect(throws: HostError.self) { try await work.value } }
            let (next, _) = try await server.client(at: 1)
            let other = try server.handle(SampleValues.other)
            try await next.write([7], to: other)
            #expect(try await next.read(other) == [7])
        }
    }

    /// Starts a procedure that does not end by itself.
    private func begin(
        _ procedure: Procedure,
        _ client: Client,
        _ link: Link,
        _ server: Server
    ) async throws -> Task<Void, any Error>? {
        switch procedure {
        case .reading:
            // The application does not answer this read.
            client.begin("read", ["handle": .handle(try server.handle(SampleValues.dynamic))])
            _ = try await server.recorder.next("a read") {
                if case .read(let request) = $0 { request } else { nil }
            }
        case .preparing:
            try await client.prepare([1], at: 0, of: server.handle(SampleValues.other))
        case .beingNotified:
            let handle = try server.handle(SampleValues.notified)
            try await client.subscribe(to: handle)
            try await server.recorder.subscription(of: handle, .notification)
            return Task { while true { try await link.notify(Demo.pattern(20), of: handle) } }
        case .beingIndicated:
            let handle = try server.handle(SampleValues.indicated)
            try await client.subscribe(to: handle, indicates: true)
            try await server.recorder.subscription(of: handle, .indication)
            try await client.confirms(false)
            return Task { while true { try await link.notify(Demo.pattern(20), of: handle) } }
        case .nothing: break
        }
        return nil
    }
}
