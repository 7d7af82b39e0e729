// SPDX-License-Identifier: Apache-2.0

/// A transport over a stream socket. `TCPTransport` and `UnixTransport` use it to connect, and
/// `SocketServer` creates one for each accepted connection.
final class SocketTransport: HCITransport {
    /// The time in which a connection must be established.
    static let connectTimeout = Duration.seconds(10)

    let name: String
    /// The endpoint, or `nil` for an accepted connection, which cannot be established again.
    private let endpoint: SocketEndpoint?
    private let connectTimeout: Duration
    /// The accepted connection until the transport is opened; `nil` if there is none.
    private let accepted: Lock<Descriptor?>
    private let state = OpeningState<ByteStream>()

    init(_ endpoint: SocketEndpoint, connectTimeout: Duration = connectTimeout) {
        self.endpoint = endpoint
        self.connectTimeout = connectTimeout
        name = endpoint.name
        accepted = Lock(nil)
    }

    /// Creates the transport of an accepted connection, which can be opened once.
    init(accepted descriptor: Descriptor, name: String) {
        self.name = name
        endpoint = nil
        connectTimeout = .zero
        accepted = Lock(descriptor)
    }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await state.open(name, on: executor) { executor throws(TransportError) in
            let accepted = accepted.withLock { accepted in
                defer { accepted = nil }
                return accepted
            }
            let descriptor =
                if let accepted { accepted } else { try await connect(on: executor) }
            await start(descriptor, on: executor, receive: receive)
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
        return try await attempt.outcome(on: executor)
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
                state.setClosed(error)
                receive(.closed(error))
            }
        )
        state.setOpen(stream)
        await executor.performAndWait { stream.start() }
    }

    func send(_ packets: [[UInt8]]) {
        state.opened?.send(packets)
    }

    func close() {
        state.opened?.close()
    }
}
