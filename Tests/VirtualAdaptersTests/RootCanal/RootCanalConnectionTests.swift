// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("A connection to RootCanal")
struct RootCanalConnectionTests {
    @Test(
        "A connection that is closed while it opens does not stay open",
        .timeLimit(.minutes(1)),
        arguments: [true, false]
    )
    func closedWhileOpening(isClosedBefore: Bool) async throws {
        let executor = AdapterExecutor()
        let (ends, feed) = AsyncStream.makeStream(of: TransportError?.self)
        // The server stands in for RootCanal.
        let server = TCPServer(host: "127.0.0.1")
        let port = try await server.start(on: executor) { transport in
            Task(executorPreference: executor.taskExecutor) {
                try await transport.open(on: executor) { event in
                    if case .closed(let error) = event { feed.yield(error) }
                }
            }
        }
        let air = LiveAir(World(seed: 1))
        let connection = RootCanalConnection(air, host: "127.0.0.1", port: port) { reason in
            Issue.record("The end was reported, although close() was called: \(reason)")
        }
        if isClosedBefore { await connection.close() }
        async let opening: Void = connection.open()
        await connection.close()
        do {
            try await opening
            #expect(!isClosedBefore)
        } catch {
            #expect(error as? TransportError == .cancelled)
        }
        guard case .closedByPeer? = await ends.first(where: { _ in true }) else {
            Issue.record("The connection was not closed.")
            return
        }
        air.shutDown()
        await server.stop()
        executor.shutDown()
    }
}
