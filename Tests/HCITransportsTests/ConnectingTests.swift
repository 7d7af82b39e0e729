// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Connecting", .timeLimit(.minutes(20)))
struct ConnectingTests {
    /// A connect timeout that never passes: the test alone ends an attempt.
    private static let never = Duration.seconds(86_400)

    private func failure(of transport: any HCITransport) async -> TransportError? {
        await withExecutor { executor in
            await #expect(throws: TransportError.self) {
                try await transport.open(on: executor) { _ in }
            }
        }
    }

    @Test("Connecting to a port without a listener is refused")
    func refusedPort() async throws {
        // Bound, so that no other test gets this port, but not listening.
        let socket = try Descriptor.streamSocket(family: AF_INET)
        let any = try await SocketEndpoint.tcp(host: "127.0.0.1", port: 0).addresses()
        let isBound = try #require(any.first).withPointer { bind(socket.number, $0, $1) }
        #expect(isBound == 0)
        let port = try #require(SocketAddress(boundTo: socket)?.port)
        let error = await failure(of: TCPTransport(host: "127.0.0.1", port: port))
        #expect(error == .refused("tcp:127.0.0.1:\(port)"))
        #expect(error?.description.contains("start the controller") == true)
    }

    @Test("A canceled connection attempt does not wait for the end of its name lookup")
    func canceledLookUp() async {
        let (asked, answered) = (Promise<Void>(), DispatchSemaphore(value: 0))
        let host = HostName("example.invalid") { text, _ in
            asked.fulfil(())
            answered.wait()
            return .failure(.hostNotFound(host: text, reason: "asked too late"))
        }
        let task = Task { try await host.addresses(port: 9000) }
        await asked.value
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
        answered.signal()
    }

    @Test("Connecting to a path without a file fails with the path")
    func noFile() async {
        let path = temporaryPath()
        let error = await failure(of: UnixTransport(path: path))
        #expect(error == .noSuchFile(path: path))
        #expect(error?.description.contains("check the path") == true)
    }

    @Test("Connecting to an abandoned socket file is refused")
    func refusedPath() async throws {
        let path = temporaryPath()
        try leaveSocketFile(at: path)
        defer { unlink(path) }
        #expect(await failure(of: UnixTransport(path: path)) == .refused("unix:\(path)"))
    }

    @Test("Connecting to a path that is too long for a socket fails with the path and the limit")
    func longPath() async {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let limit = SocketAddress.pathLengthLimit
        let error = await failure(of: UnixTransport(path: path))
        #expect(error == .pathTooLong(path: path, limit: limit))
    }

    @Test("Connecting to an unknown host fails with its name")
    func unknownHost() async {
        let error = await failure(of: TCPTransport(host: "no such host!", port: 1))
        guard case .hostNotFound("no such host!", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Connecting ends when no answer comes in time")
    func timeout() async throws {
        try await withFullListener { executor, endpoint in
            let transport = SocketTransport(endpoint, connectTimeout: .milliseconds(20))
            let error = TransportError.timedOut(endpoint.name, after: .milliseconds(20))
            await #expect(throws: error) {
                try await transport.open(on: executor) { _ in }
            }
        }
    }

    @Test("Connecting ends when its task is canceled")
    func canceled() async throws {
        try await withFullListener { executor, endpoint in
            let transport = SocketTransport(endpoint, connectTimeout: Self.never)
            let task = Task { try await transport.open(on: executor) { _ in } }
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
        }
    }

    @Test("Connecting ends when its executor shuts down")
    func shutDown() async throws {
        try await withFullListener { executor, endpoint in
            let transport = SocketTransport(endpoint, connectTimeout: Self.never)
            let opening = Task { try await transport.open(on: executor) { _ in } }
            // The attempt must end whether the shutdown comes before or after its start.
            await executor.run {}
            executor.shutDown()
            await #expect(throws: TransportError.cancelled) { try await opening.value }
        }
    }

    /// Gives `body` a TCP listener with a full queue, to which another connection is neither made
    /// nor refused.
    private func withFullListener(
        _ body: (AdapterExecutor, SocketEndpoint) async throws -> Void
    ) async throws {
        try await withExecutor { executor in
            let addresses = try await SocketEndpoint.tcp(host: "127.0.0.1", port: 0).addresses()
            let listener = try Descriptor.listeningSocket(at: try #require(addresses.first))
            let address = try #require(SocketAddress(boundTo: listener))
            let waiting = try (0...Int(SocketListener.waitingConnectionsLimit)).map { _ in
                let socket = try Descriptor.streamSocket(family: address.family)
                _ = address.withPointer { connect(socket.number, $0, $1) }
                return socket
            }
            try await body(executor, .tcp(host: "127.0.0.1", port: try #require(address.port)))
            withExtendedLifetime((listener, waiting)) {}
        }
    }

    @Test("The next address is tried when the first one refuses")
    func nextAddress() async throws {
        try await withExecutor { executor in
            let server = TCPServer(host: "::1")
            guard let port = try? await server.start(on: executor, accepted: { _ in }) else {
                return  // This machine has no IPv6.
            }
            let log = Recorder()
            let transport = TCPTransport(host: "localhost", port: port)
            try await transport.open(on: executor, receive: log.receive)
            await executor.run { transport.close() }
            _ = await log.waitForClosing()
            await server.stop()
        }
    }

    @Test("Each attempt closes its descriptors when it ends")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let before = openDescriptors()
            for kind in SocketKind.allCases {
                let executor = AdapterExecutor()
                let pair = try await SocketPair.join(kind, on: executor)
                try await pair.openFar()
                await pair.close()
                try? await UnixTransport(path: "/nowhere").open(on: executor) { _ in }
                try? await TCPTransport(host: "127.0.0.1", port: 1).open(on: executor) { _ in }
                let dropped = try await SocketPair.join(kind, on: executor)
                await executor.run { dropped.near.close() }
                _ = await dropped.nearLog.waitForClosing()
                executor.shutDown()
            }
            let after = openDescriptors()
            precondition(after == before, "\(before) descriptors before, \(after) after")
        }
    }
}

/// Returns the number of sockets and pipes of this process. The system's libraries open other
/// descriptors at any time.
private func openDescriptors() -> Int {
    (0..<1024 as Range<Int32>).count { number in
        var status = stat()
        guard fstat(number, &status) == 0 else { return false }
        return [S_IFSOCK, S_IFIFO].contains(status.st_mode & S_IFMT)
    }
}
