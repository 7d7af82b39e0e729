// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("A live virtual radio with a socket")
struct AirServerTests {
    /// A host that sends and receives plain bytes, at the other end of a TCP connection.
    private final class RawHost: Sendable {
        private let transport: TCPTransport
        private let executor: AdapterExecutor
        private let packets: AsyncStream<TransportEvent>

        init(port: UInt16, on executor: AdapterExecutor) async throws {
            transport = TCPTransport(host: "127.0.0.1", port: port)
            self.executor = executor
            let (stream, feed) = AsyncStream.makeStream(of: TransportEvent.self)
            packets = stream
            try await transport.open(on: executor) { feed.yield($0) }
        }

        func send(_ packets: [[UInt8]]) {
            executor.perform { [transport] in transport.send(packets) }
        }

        func leave() {
            executor.perform { [transport] in transport.close() }
        }

        /// Returns the next bytes, at least `count` of them unless the connection ends before.
        func receive(count: Int) async -> [UInt8] {
            var bytes: [UInt8] = []
            for await event in packets {
                guard case .received(let more) = event else { return bytes }
                bytes += more
                if bytes.count >= count { return bytes }
            }
            return bytes
        }
    }

    /// Runs `body` with a server on a port that the system chose.
    private func withServer(
        waiting names: [String] = [],
        _ body: (LiveAir, UInt16, AdapterExecutor, AsyncStream<AirServer.Event>) async throws ->
            Void
    ) async throws {
        let world = World(seed: 1)
        let waiting = try names.map { try world.addController(ControllerConfiguration(name: $0)) }
        let air = LiveAir(world)
        let (events, feed) = AsyncStream.makeStream(of: AirServer.Event.self)
        let server = AirServer(air, waiting: waiting) { feed.yield($0) }
        let address = try await server.listen(at: .tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = address else { return }
        let executor = AdapterExecutor()
        try await body(air, port, executor, events)
        await server.stop()
        executor.shutDown()
        air.shutDown()
    }

    @Test("A Reset over TCP is answered, even if it arrives byte by byte")
    func reset() async throws {
        try await withServer { _, port, executor, _ in
            let host = try await RawHost(port: port, on: executor)
            let reset = VirtualTransportTests.reset
            host.send([reset])
            let answer = VirtualTransportTests.resetComplete
            #expect(await host.receive(count: answer.count) == answer)
            for byte in reset { host.send([[byte]]) }
            #expect(await host.receive(count: answer.count) == answer)
        }
    }

    @Test("Every host gets a controller of its own, which is removed afterward")
    func clients() async throws {
        try await withServer { air, port, executor, events in
            var events = events.makeAsyncIterator()
            let first = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "connected host 1")
            _ = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "connected host 2")
            #expect(
                await air.perform { $0.status.controllers.map(\.name) } == ["host 1", "host 2"]
            )
            first.leave()
            #expect(await events.next()?.text == "disconnected host 1")
            #expect(await air.perform { $0.status.controllers.map(\.name) } == ["host 2"])
        }
    }

    @Test("Hosts that are connected at the same time have different positions")
    func positions() async throws {
        try await withServer { air, port, executor, events in
            var events = events.makeAsyncIterator()
            let first = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "connected host 1")
            _ = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "connected host 2")
            first.leave()
            #expect(await events.next()?.text == "disconnected host 1")
            _ = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "connected host 3")
            let positions = await air.perform { $0.status.controllers.map(\.position.x) }
            #expect(positions.sorted() == [0, 1])
        }
    }

    @Test("Hosts get the waiting controllers first, and again after a disconnection")
    func waiting() async throws {
        try await withServer(waiting: ["phone"]) { air, port, executor, events in
            var events = events.makeAsyncIterator()
            for _ in 0..<2 {
                let host = try await RawHost(port: port, on: executor)
                #expect(await events.next()?.text == "connected phone")
                host.leave()
                #expect(await events.next()?.text == "disconnected phone")
                #expect(await air.perform { $0.status.controllers.map(\.isOn) } == [false])
            }
        }
    }

    @Test("A log has the commands of a host after another host has left in the middle of a packet")
    func logOfNextHost() async throws {
        let directory = NSTemporaryDirectory() + "lanyard-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let reset = VirtualTransportTests.reset
        let answer = VirtualTransportTests.resetComplete
        try await withServer(waiting: ["phone"]) { air, port, executor, events in
            await air.trace(into: directory)
            var events = events.makeAsyncIterator()
            for rest in [[0x02, 0x00, 0x00, 0xFF, 0x0F], []] as [[UInt8]] {
                let host = try await RawHost(port: port, on: executor)
                #expect(await events.next()?.text == "connected phone")
                host.send([reset + rest])
                #expect(await host.receive(count: answer.count) == answer)
                host.leave()
                #expect(await events.next()?.text == "disconnected phone")
            }
        }
        var packets: [[UInt8]] = []
        try TraceFile.read(directory + "/0-phone.btsnoop") { packets.append(Array($0.packet)) }
        #expect(packets == [reset, answer, reset, answer])
    }

    @Test(
        "A host above the limit is refused, and there is room again after another has disconnected",
        .timeLimit(.minutes(20))
    )
    func limit() async throws {
        try await withServer { air, port, executor, events in
            var events = events.makeAsyncIterator()
            var hosts: [RawHost] = []
            for _ in 0..<AirServer.connectionLimit {
                hosts.append(try await RawHost(port: port, on: executor))
                #expect(await events.next()?.text.hasPrefix("connected") == true)
            }
            let refused = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text == "refused")
            #expect(await refused.receive(count: 1).isEmpty)
            hosts[7].leave()
            #expect(await events.next()?.text == "disconnected host 8")
            _ = try await RawHost(port: port, on: executor)
            #expect(await events.next()?.text.hasPrefix("connected") == true)
            #expect(await air.perform { $0.status.controllers.count } == AirServer.connectionLimit)
        }
    }

    @Test(
        "A host that sends garbage does not affect the other hosts",
        .timeLimit(.minutes(20))
    )
    func garbage() async throws {
        try await withServer { _, port, executor, _ in
            let noisy = try await RawHost(port: port, on: executor)
            let quiet = try await RawHost(port: port, on: executor)
            let noise = [UInt8](repeating: 0xA5, count: 1 << 18)
            for _ in 0..<3 { noisy.send([noise]) }
            quiet.send([VirtualTransportTests.reset])
            let answer = VirtualTransportTests.resetComplete
            #expect(await quiet.receive(count: answer.count) == answer)
        }
    }

    @Test("A host that sends commands and never reads is disconnected", .timeLimit(.minutes(20)))
    func unreadAnswers() async throws {
        try await withServer { air, port, executor, events in
            var events = events.makeAsyncIterator()
            let host = try NonReadingHost(port: port)
            #expect(await events.next()?.text == "connected host 1")
            // Read Local Supported Commands: 4 bytes that cause an answer of 71.
            host.ask([0x01, 0x02, 0x10, 0x00])
            #expect(await events.next()?.text == "disconnected host 1")
            #expect(await air.perform { $0.status.controllers.isEmpty })
        }
    }

    @Test(
        "The server removes the controllers of a thousand hosts",
        .timeLimit(.minutes(20))
    )
    func thousand() async throws {
        try await withServer { air, port, executor, events in
            var events = events.makeAsyncIterator()
            for _ in 0..<1_000 {
                let host = try await RawHost(port: port, on: executor)
                #expect(await events.next()?.text.hasPrefix("connected") == true)
                host.send([VirtualTransportTests.reset])
                host.leave()
                #expect(await events.next()?.text.hasPrefix("disconnected") == true)
            }
            #expect(await air.perform { $0.status.controllers.isEmpty })
            #expect(await air.perform { $0.nextInstant } == nil)
            // The number of each removed controller is free again.
            let next = try await air.addAdapter()
            #expect(next.controller.number == 0)
        }
    }

    @Test(
        "A server that stops while it begins to listen does not listen",
        arguments: [true, false]
    )
    func stopped(isStoppedBefore: Bool) async throws {
        let air = LiveAir(World(seed: 1))
        let server = AirServer(air) { _ in }
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        if isStoppedBefore { await server.stop() }
        async let listening = server.listen(at: .unix(path: path))
        await server.stop()
        do {
            _ = try await listening
            #expect(!isStoppedBefore)
        } catch {
            #expect(error as? TransportError == .cancelled)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        let transport = UnixTransport(path: path)
        await #expect(throws: TransportError.noSuchFile(path: path)) {
            try await transport.open(on: air.executor) { _ in }
        }
        air.shutDown()
    }

    @Test("The radio keeps pace with the clock")
    func pace() async throws {
        let air = LiveAir(World(seed: 1))
        let clock = ContinuousClock()
        let start = clock.now
        let begin = await air.perform { $0.now }
        let begun = clock.now
        while clock.now - begun < .milliseconds(30) { await Task.yield() }
        let end = await air.perform { $0.now }
        let passed = clock.now - start
        #expect(end - begin >= .milliseconds(29))
        #expect(end - begin <= passed)
        air.shutDown()
    }
}

extension AirServer.Event {
    /// A text of the event without the socket's own name.
    fileprivate var text: String {
        switch self {
        case .connected(_, let controller): "connected \(controller)"
        case .disconnected(_, let controller, _): "disconnected \(controller)"
        case .refused: "refused"
        }
    }
}
