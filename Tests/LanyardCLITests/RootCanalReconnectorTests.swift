// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@testable import LanyardCLI

@Suite("The connection of a radio to RootCanal")
struct RootCanalReconnectorTests {
    /// A server that stands in for RootCanal. Its radio has no devices, so the server sends
    /// nothing.
    private final class Port: Sendable {
        private let air = LiveAir(World(seed: 1))
        private let server: AirServer
        let number: UInt16

        init(_ number: UInt16 = 0) async throws {
            server = AirServer(air) { _ in }
            let address = try await server.listen(at: .tcp(host: "127.0.0.1", port: number))
            guard case .tcp(_, let number) = address else { throw CancellationError() }
            self.number = number
        }

        func close() async {
            await server.stop()
            air.shutDown()
        }
    }

    /// Runs `body` with a reconnector for the port, and its events.
    private func withReconnector(
        at port: UInt16,
        retryLimit: Int,
        _ body: (RootCanalReconnector, inout AsyncStream<AirEvent>.Iterator) async throws -> Void
    ) async throws {
        let air = LiveAir(World(seed: 2))
        let (events, feed) = AsyncStream.makeStream(of: AirEvent.self)
        var reconnector = RootCanalReconnector(air: air, host: "127.0.0.1", port: port) {
            feed.yield($0)
        }
        reconnector.retryPeriod = .milliseconds(1)
        reconnector.retryLimit = retryLimit
        var iterator = events.makeAsyncIterator()
        try await body(reconnector, &iterator)
        air.shutDown()
    }

    @Test("The radio joins RootCanal again after RootCanal has restarted")
    func returns() async throws {
        let port = try await Port()
        try await withReconnector(at: port.number, retryLimit: .max) { reconnector, events in
            let end = try await reconnector.join()
            let task = Task { await reconnector.rejoin(after: end) }
            await port.close()
            guard case .rootCanalEnded? = await events.next() else {
                Issue.record("the end was not reported")
                return
            }
            let second = try await Port(port.number)
            #expect(await events.next() == .rootCanalJoined)
            await second.close()
            guard case .rootCanalEnded? = await events.next() else {
                Issue.record("the second end was not reported")
                return
            }
            task.cancel()
            await task.value
        }
    }

    @Test("The radio no longer tries to join RootCanal after the maximum number of attempts")
    func limit() async throws {
        let port = try await Port()
        try await withReconnector(at: port.number, retryLimit: 3) { reconnector, events in
            let end = try await reconnector.join()
            await port.close()
            await reconnector.rejoin(after: end)
            guard case .rootCanalEnded? = await events.next() else {
                Issue.record("the end was not reported")
                return
            }
            #expect(await events.next() == .rootCanalGivenUp(attempts: 3))
        }
    }

    @Test("The maximum number of attempts also holds if each new connection ends at once")
    func unstable() async throws {
        let executor = AdapterExecutor()
        // The server does not open its connections, which closes them.
        let server = TCPServer(host: "127.0.0.1")
        let port = try await server.start(on: executor) { _ in }
        try await withReconnector(at: port, retryLimit: 2) { reconnector, events in
            await reconnector.rejoin(after: try await reconnector.join())
            for _ in 0..<2 {
                guard case .rootCanalEnded? = await events.next() else {
                    Issue.record("the end was not reported")
                    return
                }
                #expect(await events.next() == .rootCanalJoined)
            }
            guard case .rootCanalEnded? = await events.next() else {
                Issue.record("the last end was not reported")
                return
            }
            #expect(await events.next() == .rootCanalGivenUp(attempts: 2))
        }
        await server.stop()
        executor.shutDown()
    }
}
