// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// Tasks that are canceled before or during a request of a host.
@Suite("Canceled tasks", .timeLimit(.minutes(20)))
struct CancellationTests {
    private let peer = ModelPeer(1)
    private let transport: ModelTransport
    private let host: BluetoothHost

    init() {
        transport = ModelTransport(peers: [peer])
        host = BluetoothHost(transport: transport)
    }

    private func connect() async throws -> Link {
        try await host.start()
        return try await host.connect(to: peer.address)
    }

    /// Runs `body` in a task that is canceled from the start.
    private func cancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body()
        }
    }

    @Test("A canceled task that shuts the host down waits for the disconnections")
    func shutdown() async throws {
        _ = try await connect()
        let task = cancelled { [host] in
            await host.shutdown()
            return await host.state
        }
        // A task that does not wait would see a host that is still shutting down.
        #expect(try await task.value == .closed)
        #expect(transport.controller.commands.contains(.disconnect))
        #expect(transport.controller.violations.isEmpty)
    }

    @Test("A canceled task writes nothing")
    func write() async throws {
        let link = try await connect()
        let count = transport.controller.dataPackets.count
        let task = cancelled { try await link.write([1], to: ModelServer.writableHandle) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.controller.dataPackets.count == count)
        await host.shutdown()
    }

    @Test("A canceled task can still end a link")
    func disconnect() async throws {
        let link = try await connect()
        let task = cancelled { try await link.disconnect() }
        await #expect(throws: CancellationError.self) { try await task.value }
        _ = try await link.ended()
        #expect(transport.controller.links.isEmpty)
        await host.shutdown()
    }

    @Test("A subscription that is canceled during its request is removed")
    func subscribe() async throws {
        let link = try await connect()
        let address = peer.address
        let asked = transport.hold { $0.peers[address]?.server.isSubscribed == true }
        let task = Task { _ = try await link.subscribe(to: ModelServer.characteristic) }
        await asked.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let takenBack = transport.hold { $0.peers[address]?.server.isSubscribed == false }
        transport.release()
        await takenBack.wait()
        transport.release()
        await host.shutdown()
    }

    @Test(
        "Every request completes if tasks are canceled while the host shuts down",
        arguments: RunSeed.seeds(20)
    )
    func storm(seed: UInt64) async throws {
        let link = try await connect()
        var generator = SplitMix64(seed: seed)
        let readers = (0..<200).map { _ in
            Task { try await link.read(ModelServer.readableHandle) }
        }
        let ends = (0..<20).map { _ in Task { try await link.ended() } }
        let scans = (0..<8).map { _ in Task { [host] in for try await _ in host.scan() {} } }
        for reader in readers where generator.happens(oneIn: 3) { reader.cancel() }
        for scan in scans where generator.happens(oneIn: 2) { scan.cancel() }
        if generator.happens(oneIn: 2) {
            _ = await readers.randomElement(using: &generator)?.result
        }
        async let first: Void = host.shutdown()
        async let second: Void = host.shutdown()
        _ = await (first, second)
        for reader in readers { _ = await reader.result }
        for end in ends { _ = await end.result }
        for scan in scans { _ = await scan.result }
        #expect(transport.controller.violations.isEmpty)
    }

    @Test("A released host that is ready closes its transport")
    func released() async throws {
        let transport = ModelTransport()
        try await BluetoothHost(transport: transport).start()
        await transport.closed.wait()
    }

    @Test("A released host that is connected closes its transport")
    func releasedWhileConnected() async throws {
        let transport = ModelTransport(peers: [peer])
        do {
            let host = BluetoothHost(transport: transport)
            try await host.start()
            _ = try await host.connect(to: peer.address)
        }
        await transport.closed.wait()
    }
}
