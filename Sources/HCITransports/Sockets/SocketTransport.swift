// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the TCP and the Unix transport have in common, which is all but how they are made.
final class SocketTransport: HCITransport {
    /// How long a connection may take to be made.
    static let connectTimeout = Duration.seconds(10)

    private enum State {
        case closed
        case opening
        case open(SocketStream)
    }

    private let endpoint: SocketEndpoint
    private let connectTimeout: Duration
    private let state = Mutex(State.closed)

    init(_ endpoint: SocketEndpoint, connectTimeout: Duration = connectTimeout) {
        self.endpoint = endpoint
        self.connectTimeout = connectTimeout
    }

    var name: String { endpoint.name }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        guard let executor = executor as? AdapterExecutor else { throw .unsuitableExecutor(name) }
        try beginOpening()
        do throws(TransportError) {
            let addresses = try await endpoint.addresses()
            let descriptor = try await connect(to: addresses, on: executor).get()
            await start(descriptor, on: executor, receive: receive)
        } catch {
            state.withLock { $0 = .closed }
            throw error
        }
    }

    private func beginOpening() throws(TransportError) {
        let isClosed = state.withLock { state in
            guard case .closed = state else { return false }
            state = .opening
            return true
        }
        if !isClosed { throw .alreadyOpen(name) }
    }

    private func connect(
        to addresses: [SocketAddress],
        on executor: AdapterExecutor
    ) async -> ConnectAttempt.Outcome {
        let attempt = ConnectAttempt(
            to: addresses,
            of: endpoint,
            timeout: connectTimeout,
            executor: executor
        )
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.perform { attempt.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            executor.perform { attempt.cancel() }
        }
    }

    private func start(
        _ descriptor: Descriptor,
        on executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async {
        let stream = SocketStream(
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
        await withCheckedContinuation { continuation in
            executor.perform {
                stream.start()
                continuation.resume()
            }
        }
    }

    func send(_ packets: [[UInt8]]) {
        stream?.send(packets)
    }

    func close() {
        stream?.close()
    }

    private var stream: SocketStream? {
        state.withLock { state in
            guard case .open(let stream) = state else { return nil }
            return stream
        }
    }
}
