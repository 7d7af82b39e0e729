// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@testable import LanyardCLI

@Suite("The membership of a radio at RootCanal")
struct RootCanalMembershipTests {
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

    /// Runs `body` with a membership at the port, and its events.
    private func withMembership(
        at port: UInt16,
        retryLimit: Int,
        _ body: (RootCanalMembership, inout AsyncStream<AirEvent>.Iterator) async throws -> Void
    ) async throws {
        let air = LiveAir(World(seed: 2))
        let (events, feed) = AsyncStream.makeStream(of: AirEvent.self)
        var membership = RootCanalMembership(air: air, host: "127.0.0.1", port: port) {
            feed.yield($0)
        }
        membership.retryPeriod = .milliseconds(1)
        membership.retryLimit = retryLimit
        var iterator = events.makeAsyncIterator()
        try await body(membership, &iterator)
        air.shutDown()
    }

    @Test("The radio joins RootCanal again when RootCanal has returned")
    func returns() async throws {
        let port = try await Port()
        try await withMembership(at: port.number, retryLimit: .max) { membership, events in
            let end = try await membership.join()
            let task = Task { await membership.rejoin(after: end) }
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

    @Test("The radio gives RootCanal up after the limit of attempts")
    func limit() async throws {
        let port = try await Port()
        try await withMembership(at: port.number, retryLimit: 3) { membership, events in
            let end = try await membership.join()
            await port.close()
            await membership.rejoin(after: end)
            guard case .rootCanalEnded? = await events.next() else {
                Issue.record("the end was not reported")
                return
            }
            #expect(await events.next() == .rootCanalGivenUp(attempts: 3))
        }
    }

    @Test("A RootCanal that ends whenever the radio joins is given up")
    func unstable() async throws {
        let executor = AdapterExecutor()
        // The server does not open its connections, which closes them.
        let server = TCPServer(host: "127.0.0.1")
        let port = try await server.start(on: executor) { _ in }
        try await withMembership(at: port, retryLimit: 2) { membership, events in
            await membership.rejoin(after: try await membership.join())
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
