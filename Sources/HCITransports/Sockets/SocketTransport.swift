// SPDX-License-Identifier: Apache-2.0

/// A transport over a stream socket. `TCPTransport` and `UnixTransport` use it to connect, and
/// `SocketServer` creates one for each accepted connection.
final class SocketTransport: HCITransport {
    /// The time in which a connection must be established.
    static let connectTimeout = Duration.seconds(10)

    private enum State {
        case closed
        /// The peer has connected, and the transport is not open yet.
        case accepted(Descriptor)
        case opening
        case open(ByteStream)
    }

    let name: String
    /// The endpoint, or `nil` for an accepted connection, which cannot be established again.
    private let endpoint: SocketEndpoint?
    private let connectTimeout: Duration
    private let state: Lock<State>

    init(_ endpoint: SocketEndpoint, connectTimeout: Duration = connectTimeout) {
        self.endpoint = endpoint
        self.connectTimeout = connectTimeout
        name = endpoint.name
        state = Lock(.closed)
    }

    /// Creates the transport of an accepted connection, which can be opened once.
    init(accepted descriptor: Descriptor, name: String) {
        self.name = name
        endpoint = nil
        connectTimeout = .zero
        state = Lock(.accepted(descriptor))
    }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        guard let executor = executor as? AdapterExecutor else { throw .unsuitableExecutor(name) }
        let accepted = try beginOpening()
        do throws(TransportError) {
            let descriptor =
                if let accepted { accepted } else { try await connect(on: executor) }
            await start(descriptor, on: executor, receive: receive)
        } catch {
            state.withLock { $0 = .closed }
            throw error
        }
    }

    /// Changes the state to `.opening`, and returns the connection if there is one already.
    private func beginOpening() throws(TransportError) -> Descriptor? {
        let previous = state.withLock { state in
            let previous = state
            switch state {
            case .closed, .accepted: state = .opening
            case .opening, .open: break
            }
            return previous
        }
        switch previous {
        case .closed: return nil
        case .accepted(let descriptor): return descriptor
        case .opening, .open: throw .alreadyOpen(name)
        }
    }

    private func connect(on executor: AdapterExecutor) async throws(TransportError) -> Descriptor {
        guard let endpoint else { throw .closedByPeer(name) }
        let attempt = ConnectAttempt(
            to: try await endpoint.addresses(),
            of: endpoint,
            timeout: connectTimeout,
            executor: executor
        )
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.perform { attempt.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            executor.perform { attempt.cancel() }
        }
        return try outcome.get()
    }

    private func start(
        _ descriptor: Descriptor,
        on executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async {
        let stream = ByteStream(
            descriptor,
            name: name,
            executor: executor,
            receive: receive,
            ended: { [self] error in
                state.withLock { $0 = .closed }
                receive(.closed(error))
            }
        )
        state.withLock { $0 = .open(stream) }
        await executor.performAndWait { stream.start() }
    }

    func send(_ packets: [[UInt8]]) {
        stream?.send(packets)
    }

    func close() {
        stream?.close()
    }

    private var stream: ByteStream? {
        state.withLock { state in
            guard case .open(let stream) = state else { return nil }
            return stream
        }
    }
}
