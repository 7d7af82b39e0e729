// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Servers")
struct ServerTests {
    @Test("Every connection is a transport of its own")
    func manyConnections() async throws {
        try await withExecutor { executor in
            let server = TCPServer()
            let farLogs = (0..<5).map { _ in Recorder() }
            let accepted = Mutex<[any HCITransport]>([])
            let allAccepted = Promise<Bool>()
            let port = try await server.start(on: executor) { new in
                let count = accepted.withLock {
                    $0.append(new)
                    return $0.count
                }
                if count == 5 { allAccepted.fulfil(true) }
            }
            for _ in 0..<5 {
                let transport = TCPTransport(host: "127.0.0.1", port: port)
                try await transport.open(on: executor) { _ in }
                await executor.run { transport.send([[7]]) }
            }
            #expect(await allAccepted.value)
            for (far, log) in zip(accepted.withLock { $0 }, farLogs) {
                try await far.open(on: executor, receive: log.receive)
                #expect(await log.wait { !$0.bytes.isEmpty }.bytes == [7])
            }
            #expect(Set(accepted.withLock { $0.map(\.name) }).count == 5)
            await server.stop()
        }
    }

    @Test("A port in use is reported")
    func portInUse() async throws {
        try await withExecutor { executor in
            let first = TCPServer(host: "127.0.0.1")
            let port = try await first.start(on: executor) { _ in }
            let second = TCPServer(host: "127.0.0.1", port: port)
            await #expect(throws: TransportError.addressInUse("tcp:127.0.0.1:\(port)")) {
                _ = try await second.start(on: executor) { _ in }
            }
            await first.stop()
        }
    }

    @Test("A server starts once, and again after it has stopped")
    func startTwice() async throws {
        try await withExecutor { executor in
            let server = UnixServer(path: temporaryPath())
            for _ in 0..<2 {
                try await server.start(on: executor) { _ in }
                await #expect(throws: TransportError.self) {
                    try await server.start(on: executor) { _ in }
                }
                await server.stop()
            }
        }
    }

    @Test("An abandoned socket file is replaced, and a running server's is not")
    func abandonedFile() async throws {
        try await withExecutor { executor in
            let path = temporaryPath()
            try leaveSocketFile(at: path)
            let server = UnixServer(path: path)
            try await server.start(on: executor) { _ in }
            await #expect(throws: TransportError.addressInUse("unix:\(path)")) {
                try await UnixServer(path: path).start(on: executor) { _ in }
            }
            await server.stop()
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("A file that is not a socket is left alone")
    func foreignFile() async {
        await withExecutor { executor in
            let path = temporaryPath("txt")
            _ = Descriptor(owning: open(path, O_CREAT | O_WRONLY, 0o600))
            defer { unlink(path) }
            await #expect(throws: TransportError.addressInUse("unix:\(path)")) {
                try await UnixServer(path: path).start(on: executor) { _ in }
            }
            #expect(access(path, F_OK) == 0)
        }
    }

    @Test("A connection that is never opened is closed")
    func unopened() async throws {
        try await withExecutor { executor in
            let server = UnixServer(path: temporaryPath())
            try await server.start(on: executor) { _ in }
            let log = Recorder()
            let transport = UnixTransport(path: server.path)
            try await transport.open(on: executor, receive: log.receive)
            #expect(await log.waitForClosing().closings == [.closedByPeer(transport.name)])
            await server.stop()
        }
    }

    @Test("An executor that cannot watch descriptors is refused")
    func otherExecutor() async {
        final class Other: HostExecutor {
            let inner = AdapterExecutor()
            var now: Instant { inner.now }
            func enqueue(_ job: consuming ExecutorJob) { inner.enqueue(job) }
            func perform(_ work: @escaping @Sendable () -> Void) { inner.perform(work) }
            func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
                inner.performAtTurnEnd(work)
            }
            func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
                inner.makeTimer(fired)
            }
        }
        await #expect(throws: TransportError.unsuitableExecutor("tcp:localhost:0")) {
            _ = try await TCPServer().start(on: Other()) { _ in }
        }
        await #expect(throws: TransportError.unsuitableExecutor("unix:/x")) {
            try await UnixTransport(path: "/x").open(on: Other()) { _ in }
        }
    }
}
