// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HCITransports
import Testing

@testable import BluetoothHost

/// How hosts begin and end, in whatever order and by whomever.
@Suite("A host's life", .timeLimit(.minutes(1)))
struct LifetimeTests {
    @Test("a host that was shut down opens nothing when it is started")
    func startAfterShutdown() async {
        let transport = ScriptedTransport()
        let host = BluetoothHost(transport: transport)
        await host.shutdown()
        await #expect(throws: HostError.closed) { try await host.start() }
        await host.shutdown()
        #expect(transport.openCount == 0)
    }

    @Test("shutting down twice while the transport is being opened ends everybody's waiting")
    func shutdownTwice()
        async throws
    {
        let begun = Occurrence()
        let transport = ScriptedTransport { _, _ throws(TransportError) in
            begun.occur()
            await Occurrence().wait()
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

    @Test("a task on the host's own executor may shut it down")
    func shutdownFromExecutor() async {
        let host = BluetoothHost(transport: ScriptedTransport())
        await withTaskExecutorPreference(host.executor.taskExecutor) {
            _ = host.scan()
            await host.shutdown()
        }
        #expect(await host.state == .closed)
    }

    @Test("streams end when their host is let go")
    func streamsOfAbandonedHost() async throws {
        let (scan, states) = Self.streamsOfNobody()
        await #expect(throws: HostError.closed) { for try await _ in scan {} }
        var seen: [AdapterState] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.starting, .closed])
    }

    private static func streamsOfNobody()
        -> (AsyncThrowingStream<Advertisement, any Error>, AsyncStream<AdapterState>)
    {
        let host = BluetoothHost(transport: ScriptedTransport())
        return (host.scan(), host.states)
    }

    @Test("letting go of a host does not wait for its thread")
    func abandoningDoesNotWait() {
        let gate = DispatchSemaphore(value: 0)
        do {
            let host = BluetoothHost(transport: ScriptedTransport())
            host.executor.perform { gate.wait() }
        }
        gate.signal()
    }

    @Test("letting go of a host that opens its transport calls that off")
    func abandonedOpening() async {
        let (begun, cancelled) = (Occurrence(), Occurrence())
        let transport = ScriptedTransport { _, _ throws(TransportError) in
            begun.occur()
            await Occurrence().wait()
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
