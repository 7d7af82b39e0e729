// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol
import HCITransports
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import LanyardGateway

/// A gateway on a port of this machine with a `FakeController`, and the hosts that connect to it.
final class GatewayHarness: Sendable {
    static let limit = Duration.seconds(20)

    let folder: String
    let controller = FakeController()
    let log = Lines()
    private let address: String
    let port: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    private let server: GatewayServer

    private init(at address: String) async throws {
        self.address = address
        folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        server = try GatewayServer(
            name: "hall",
            transport: controller,
            folder: try StateFolder(folder + "/gateway"),
            on: group.next(),
            log: { [log] in log.add($0) }
        )
        port = try await server.listen(host: address, port: 0)
    }

    /// Runs `body` with a gateway at an address of this machine, and removes its files afterward.
    static func run(
        at address: String = "127.0.0.1",
        _ body: (GatewayHarness) async throws -> Void
    ) async throws {
        let harness = try await GatewayHarness(at: address)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(harness))
        } catch {
            result = .failure(error)
        }
        await harness.server.stop()
        try await harness.group.shutdownGracefully()
        try? FileManager.default.removeItem(atPath: harness.folder)
        try result.get()
    }

    func makeCode() throws -> EnrollmentCode {
        let folder = try StateFolder(folder + "/gateway")
        let code = EnrollmentCode(for: try Credentials(in: folder).bytes)
        try OpenEnrollment(folder: folder).begin(code, now: Date())
        return code
    }

    /// Returns the credentials of a host, which has a folder of its own.
    func credentials(_ host: String = "pc") throws -> Credentials {
        try Credentials(in: try StateFolder("\(folder)/\(host)"))
    }

    /// Opens a connection of a host.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of the gateway's name; `nil` for the gateway's address without
    ///     a name.
    ///   - port: The port; `nil` for that of the gateway.
    func connect(
        _ purpose: GatewayClient.Purpose = .lease,
        as host: String = "pc",
        addresses: [String]? = nil,
        port: Int? = nil,
        isTrusted: (@Sendable ([UInt8]) -> Bool)? = nil
    ) throws -> HostConnection {
        let own = try Credentials(in: try StateFolder(folder + "/gateway")).bytes
        let events = Lines()
        let loop = group.next()
        let connection = GatewayConnection(
            purpose,
            on: loop,
            isTrusted: isTrusted ?? { $0 == own },
            received: { event in
                switch event {
                case .granted(let name): events.add("granted by \(name)")
                case .packets(let bytes): events.add("packets \(bytes)")
                case .ended(let reason): events.add("ended: \(reason)")
                }
            }
        )
        let credentials = try credentials(host)
        let (address, port) = (address, port ?? self.port)
        loop.execute {
            connection.open(
                host: addresses == nil ? address : "hall.example",
                port: port,
                credentials,
                resolver: addresses.map { FixedAddresses(addresses: $0, loop: loop) }
            )
        }
        return HostConnection(connection: connection, loop: loop, events: events)
    }

    func enroll(_ host: String = "pc") async throws {
        let code = try makeCode()
        let connection = try connect(
            .enrollment(secret: code.secret, name: host),
            as: host,
            isTrusted: code.matches
        )
        try await connection.events.wait(for: "granted by hall")
    }
}

/// A connection of a host to the gateway.
struct HostConnection: Sendable {
    let connection: GatewayConnection
    let loop: any EventLoop
    let events: Lines

    func send(_ bytes: [UInt8]) { loop.execute { connection.send(bytes) } }
    func end() { loop.execute { connection.end("the test is over") } }
}

/// Lines that arrive, for which a test waits.
final class Lines: Sendable {
    struct NotThere: Error { let text: String; let lines: [String] }

    private struct State {
        var lines: [String] = []
        var waiters: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock { $0.lines } }

    func add(_ line: String) {
        let waiters = state.withLock { state in
            state.lines.append(line)
            return state.waiters
        }
        for waiter in waiters { waiter.yield() }
    }

    /// Waits for a line that contains the text.
    func wait(for text: String, count: Int = 1) async throws {
        let (changes, feed) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.waiters.append(feed) }
        feed.yield()
        let limit = Task {
            try await Task.sleep(for: GatewayHarness.limit)
            feed.finish()
        }
        defer { limit.cancel() }
        for await _ in changes where all.count(where: { $0.contains(text) }) >= count { return }
        throw NotThere(text: text, lines: all)
    }
}

/// A controller that answers every HCI Reset, and returns all other packets.
final class FakeController: HCITransport {
    private typealias Opening = (
        executor: any HostExecutor, receive: @Sendable (TransportEvent) -> Void
    )

    private let opening = Mutex<Opening?>(nil)
    private let resetCount = Mutex(0)
    let name = "fake"

    var resets: Int { resetCount.withLock { $0 } }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        opening.withLock { $0 = (executor, receive) }
    }

    func send(_ packets: [[UInt8]]) {
        for packet in packets {
            if packet == GatewayCore.reset {
                resetCount.withLock { $0 += 1 }
                deliver([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
            } else {
                deliver(packet)
            }
        }
    }

    private func deliver(_ bytes: [UInt8]) {
        guard let open = opening.withLock({ $0 }) else { return }
        open.executor.perform { open.receive(.received(bytes[...])) }
    }

    func close() {
        guard
            let open = opening.withLock({ state in
                defer { state = nil }
                return state
            })
        else { return }
        open.executor.perform { open.receive(.closed(nil)) }
    }
}
