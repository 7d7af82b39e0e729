// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization

/// The connections of the page on a loopback port, which it passes to the HTTP server.
///
/// FlyingFox has no limits for the connections, for the length of a request line with its headers and
/// for the time of a request, and stops for good when the process has no free descriptors. The relay
/// adds these limits without reading HTTP. It counts the bytes that the server has not answered, and
/// the time in which the server sends nothing: while the server works on a request, it sends marks
/// (`LiveStreams`). The connection of a slow reader closes when 1 MiB waits for it
/// (`ByteStream.pendingBytesLimit`).
final class LiveRelay: Sendable {
    /// The maximum number of connections. Further ones are closed at once.
    static let connectionLimit = 32
    /// The maximum number of bytes without an answer: a request line, headers and a body.
    static let requestLimit = 24_576
    /// The time in which a request must be complete. An unused connection ends after it as well.
    static let silenceLimit = Duration.seconds(10)
    /// The time in which a client reads the last bytes of a connection that the server has closed.
    static let closingLimit = Duration.seconds(1)

    private struct Connection {
        let client: any HCITransport
        let server: any HCITransport
        let timer: any HostTimer
        /// The number of bytes that the client has sent since the last ones of the server.
        var unanswered = 0
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var last = 0
        var isStopped = false
    }

    private let executor = AdapterExecutor()
    private let listener: TCPServer
    private let serverPath: String
    private let silenceLimit: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: The port at 127.0.0.1; 0 lets the system choose.
    ///   - serverPath: The Unix socket of the HTTP server.
    init(port: UInt16, to serverPath: String, silenceLimit: Duration = silenceLimit) {
        listener = TCPServer(host: "127.0.0.1", port: port)
        self.serverPath = serverPath
        self.silenceLimit = silenceLimit
    }

    /// Starts to listen, and returns the port.
    func start() async throws(TransportError) -> UInt16 {
        try await listener.start(on: executor) { [weak self] in self?.accept($0) }
    }

    /// Closes all connections, and ends the thread.
    func stop() async {
        await listener.stop()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            executor.perform { [self] in
                let numbers = state.withLock { state in
                    state.isStopped = true
                    return Array(state.connections.keys)
                }
                for number in numbers { end(number) }
                done.resume()
            }
        }
        executor.shutDown()
    }
}

// MARK: - Connections

extension LiveRelay {
    private func accept(_ client: any HCITransport) {
        let server = UnixTransport(path: serverPath)
        let number = state.withLock { state -> Int? in
            guard !state.isStopped, state.connections.count < Self.connectionLimit else {
                return nil
            }
            state.last += 1
            let number = state.last
            let timer = executor.makeTimer { [weak self] in self?.end(number) }
            timer.set(to: executor.now + silenceLimit)
            state.connections[number] = Connection(client: client, server: server, timer: timer)
            return number
        }
        guard let number else { return }
        // The task keeps the transports until they are open. Both belong to the executor's thread.
        Task(executorPreference: executor.taskExecutor) { [self] in
            do throws(TransportError) {
                try await server.open(on: executor) { [self] in receive($0, fromServerOf: number) }
                guard isOpen(number) else { return server.close() }
                try await client.open(on: executor) { [self] in receive($0, fromClientOf: number) }
                if !isOpen(number) { client.close() }
            } catch {
                executor.perform { [self] in end(number) }
            }
        }
    }

    private func receive(_ event: TransportEvent, fromClientOf number: Int) {
        guard case .received(let bytes) = event else { return end(number) }
        let server = state.withLock { state -> (any HCITransport)? in
            state.connections[number]?.unanswered += bytes.count
            let connection = state.connections[number]
            return connection.flatMap { $0.unanswered <= Self.requestLimit ? $0.server : nil }
        }
        guard let server else { return end(number) }
        server.send([Array(bytes)])
    }

    private func receive(_ event: TransportEvent, fromServerOf number: Int) {
        let connection = state.withLock { state in
            state.connections[number]?.unanswered = 0
            return state.connections[number]
        }
        guard let connection else { return }
        switch event {
        case .received(let bytes):
            connection.timer.set(to: executor.now + silenceLimit)
            connection.client.send([Array(bytes)])
        case .closed:
            connection.timer.set(to: executor.now + Self.closingLimit)
        }
    }

    private func isOpen(_ number: Int) -> Bool {
        state.withLock { $0.connections[number] != nil }
    }

    private func end(_ number: Int) {
        guard let ended = state.withLock({ $0.connections.removeValue(forKey: number) }) else {
            return
        }
        ended.timer.set(to: nil)
        ended.client.close()
        ended.server.close()
    }
}
