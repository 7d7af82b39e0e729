// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization

/// The server of the page: requests and streams of events on a loopback port.
///
/// It has a thread of its own, so that no request delays the host. A stream whose reader is slow
/// closes when 1 MiB waits for it (`ByteStream.pendingBytesLimit`). The page then opens a new
/// stream, which begins with the current state.
final class LiveServer: Sendable {
    /// The maximum number of connections. Further ones are closed at once.
    static let connectionLimit = 32
    /// The time in which a request must be complete.
    static let requestLimit = Duration.seconds(10)

    /// The answers to requests.
    struct Content: Sendable {
        /// Returns the response to a request.
        let respond: @Sendable (HTTPRequest) async -> HTTPResponse
        /// Returns the event with which a stream begins. Called on the server's thread.
        let present: @Sendable () -> String
    }

    private struct Connection {
        let transport: any HCITransport
        let timer: any HostTimer
        var reader = HTTPRequestReader()
        /// Whether a request is being answered.
        var isBusy = false
        var isStream = false
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var last = 0
        var isStopped = false
    }

    private let executor = AdapterExecutor()
    private let server: TCPServer
    private let content: Content
    private let requestLimit: Duration
    private let state = Mutex(State())

    /// Creates a server, which `start()` starts.
    ///
    /// - Parameters:
    ///   - port: The port at 127.0.0.1; 0 lets the system choose.
    ///   - content: The answers to requests.
    ///   - requestLimit: The time in which a request must be complete.
    init(port: UInt16, _ content: Content, requestLimit: Duration = requestLimit) {
        server = TCPServer(host: "127.0.0.1", port: port)
        self.content = content
        self.requestLimit = requestLimit
    }

    /// Starts to listen, and returns the port.
    func start() async throws(TransportError) -> UInt16 {
        try await server.start(on: executor) { [weak self] in self?.accept($0) }
    }

    /// Sends an event to every stream.
    ///
    /// - Parameter event: Returns the event; `nil` for none. Called on the server's thread. A
    ///   stream that begins after the call does not get the event.
    func publish(_ event: @escaping @Sendable () -> String?) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            executor.perform { [self] in
                if let text = event() {
                    let streams = state.withLock { $0.connections.values.filter(\.isStream) }
                    let bytes = Self.message(text)
                    for stream in streams { stream.transport.send([bytes]) }
                }
                done.resume()
            }
        }
    }

    /// Closes all connections, and ends the thread.
    func stop() async {
        await server.stop()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            executor.perform { [self] in
                let transports = state.withLock { state in
                    state.isStopped = true
                    return state.connections.values.map(\.transport)
                }
                for transport in transports { transport.close() }
                done.resume()
            }
        }
        executor.shutDown()
    }

    private static func message(_ text: String) -> [UInt8] { Array("data: \(text)\n\n".utf8) }
}

// MARK: - Connections

extension LiveServer {
    private func accept(_ transport: any HCITransport) {
        let timer = executor.makeTimer { transport.close() }
        let number = state.withLock { state -> Int? in
            guard !state.isStopped, state.connections.count < Self.connectionLimit else {
                return nil
            }
            state.last += 1
            state.connections[state.last] = Connection(transport: transport, timer: timer)
            return state.last
        }
        guard let number else { return }
        timer.set(to: executor.now + requestLimit)
        // `state` keeps the transport until the connection is closed.
        Task(executorPreference: executor.taskExecutor) { [self] in
            do throws(TransportError) {
                try await transport.open(on: executor) { [self] in receive($0, from: number) }
            } catch {
                executor.perform { [self] in receive(.closed(error), from: number) }
            }
        }
    }

    private func receive(_ event: TransportEvent, from number: Int) {
        switch event {
        case .received(let bytes):
            state.withLock { $0.connections[number]?.reader.append(bytes) }
            answerNext(number)
        case .closed:
            let ended = state.withLock { $0.connections.removeValue(forKey: number) }
            ended?.timer.set(to: nil)
        }
    }

    /// Answers the next request of a connection, if it is complete and none is being answered.
    private func answerNext(_ number: Int) {
        let outcome = state.withLock { state -> HTTPRequestReader.Outcome in
            guard let connection = state.connections[number], !connection.isBusy,
                !connection.isStream
            else { return .incomplete }
            let outcome = state.connections[number]?.reader.next() ?? .incomplete
            if outcome != .incomplete { state.connections[number]?.isBusy = true }
            return outcome
        }
        switch outcome {
        case .incomplete: return
        case .refused(let status): send(.refusal(status), to: number)
        case .request(let request):
            state.withLock { $0.connections[number]?.timer.set(to: nil) }
            Task { [self] in
                let response = await content.respond(request)
                executor.perform { [self] in send(response, to: number) }
            }
        }
    }

    private func send(_ response: HTTPResponse, to number: Int) {
        guard let connection = state.withLock({ $0.connections[number] }) else { return }
        connection.transport.send([response.bytes])
        if response.isStream {
            connection.transport.send([Self.message(content.present())])
            state.withLock { $0.connections[number]?.isStream = true }
        } else if response.status != .ok {
            connection.transport.close()
        } else {
            state.withLock { $0.connections[number]?.isBusy = false }
            connection.timer.set(to: executor.now + requestLimit)
            answerNext(number)
        }
    }
}
