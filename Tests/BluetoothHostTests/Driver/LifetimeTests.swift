// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Dispatch
import HCITransports
import Testing

@testable import BluetoothHost

/// The start, the shutdown and the release of hosts.
@Suite("Lifetime of a host", .timeLimit(.minutes(20)))
struct LifetimeTests {
    @Test("A host that was shut down does not open its transport when it is started")
    func startAfterShutdown() async {
        let transport = ScriptedTransport()
        let host = BluetoothHost(transport: transport)
        await host.shutdown()
        await #expect(throws: HostError.closed) { try await host.start() }
        await host.shutdown()
        #expect(transport.openCount == 0)
    }

    @Test("A second shutdown while the transport is opening completes all waiting tasks")
    func shutdownTwice()
        async throws
    {
        let begun = OneTimeEvent()
        let transport = ScriptedTransport { _, _ throws(TransportError) in
            begun.occur()
            await OneTimeEvent().wait()
            throw .cancelled
        }
        let host = BluetoothHost(transport: transport)
        let start = Task { try await host.start() }
        await begun.wait()
        async let first: Void = host.shutdown()
        async let second: Void = host.shutdown()
        _ = await (first, second)
        await #expect(throws: HostError.closed) { try await start.value }
        #expect(await host.state == .closed)
    }

    @Test("A task on the host's executor can shut the host down")
    func shutdownFromExecutor() async {
        let host = BluetoothHost(transport: ScriptedTransport())
        await withTaskExecutorPreference(host.executor.taskExecutor) {
            _ = host.scan()
            await host.shutdown()
        }
        #expect(await host.state == .closed)
    }

    @Test("The stream of states ends when the host is released")
    func statesOfReleasedHost() async throws {
        var seen: [AdapterState] = []
        for await state in BluetoothHost(transport: ScriptedTransport()).states {
            seen.append(state)
        }
        #expect(seen == [.starting, .closed])
    }

    @Test("A stream of values retains its host and its link")
    func valuesKeepHost() async throws {
        let peer = ModelPeer(1)
        try await withController(peers: [peer]) { controller, executor in
            let values = try await values(from: peer, by: controller, executor)
            var received: [[UInt8]] = []
            controller.update { $0.notify([1], from: peer.address) }
            for try await value in values {
                received.append(value)
                if received.count == 3 { break }
                controller.update { $0.notify([2], from: peer.address) }
            }
            #expect(received == [[1], [2], [2]])
        }
    }

    @Test("A scan retains its host until its stream is released")
    func scanKeepsHost() async throws {
        let peer = ModelPeer(1)
        try await withController(peers: [peer]) { controller, executor in
            let scan = try await host(on: controller, executor).scan()
            await controller.wait { $0.isScanning }
            controller.update { $0.advertise() }
            var found = scan.makeAsyncIterator()
            #expect(try await found.next()?.address == peer.address)
        }
    }

    @Test("The streams of a server retain their host until they are released")
    func serverStreamsKeepHost() async throws {
        try await withController { controller, executor in
            weak var watched: BluetoothHost?
            let links: AsyncStream<Link>
            do {
                let host = try await host(on: controller, executor)
                links = host.incomingLinks
                watched = host
            }
            let events = try await watched?.serverEvents()
            #expect(events != nil)
            withExtendedLifetime(links) {}
        }
    }

    /// Runs the body with a controller, and expects that the host closes the transport afterward.
    private func withController(
        peers: [ModelPeer] = [],
        _ body: @Sendable (LiveController, AdapterExecutor) async throws -> Void
    ) async throws {
        let executor = AdapterExecutor()
        let controller = LiveController(.rich, peers: peers, executor: executor)
        try await body(controller, executor)
        await controller.hostLeft.wait()
        controller.dismantle()
        executor.shutDown()
    }

    private func host(
        on controller: LiveController,
        _ executor: AdapterExecutor
    ) async throws -> BluetoothHost {
        let host = BluetoothHost(transport: controller.transport, executor: executor)
        try await host.start()
        return host
    }

    /// Returns the values of a link that only their stream retains.
    private func values(
        from peer: ModelPeer,
        by controller: LiveController,
        _ executor: AdapterExecutor
    ) async throws -> NotificationStream {
        let link = try await host(on: controller, executor).connect(to: peer.address)
        return try await link.subscribe(to: ModelServer.characteristic)
    }

    @Test("Releasing a host does not wait for its thread")
    func abandoningDoesNotWait() {
        let gate = DispatchSemaphore(value: 0)
        do {
            let host = BluetoothHost(transport: ScriptedTransport())
            host.executor.perform { gate.wait() }
        }
        gate.signal()
    }

    @Test("Releasing a host while it opens its transport cancels the opening")
    func abandonedOpening() async {
        let (begun, cancelled) = (OneTimeEvent(), OneTimeEvent())
        let transport = ScriptedTransport { _, _ throws(TransportError) in
            begun.occur()
            await OneTimeEvent().wait()
            cancelled.occur()
            throw .cancelled
        }
        let task = Task { try await BluetoothHost(transport: transport).start() }
        await begun.wait()
        task.cancel()
        await cancelled.wait()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
