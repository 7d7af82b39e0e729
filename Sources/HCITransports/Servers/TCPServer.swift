// SPDX-License-Identifier: Apache-2.0

/// A server for connections on a TCP port, from hosts to a controller or from controllers to a
/// host.
public final class TCPServer: Sendable {
    private let host: String
    private let port: UInt16
    private let server = SocketServer()

    /// Creates a server for a local address. With port 0, the system chooses a port.
    public init(host: String = "localhost", port: UInt16 = 0) {
        self.host = host
        self.port = port
    }

    /// Starts to listen, and returns the port.
    ///
    /// - Parameters:
    ///   - executor: The executor of the connections.
    ///   - accepted: The closure to call on the executor's thread with each connection. The
    ///     connection is a transport that is not open yet and can be opened once. It closes if it
    ///     is released without being opened.
    /// - Throws: ``TransportError`` if the server cannot listen.
    public func start(
        on executor: any HostExecutor,
        accepted: @escaping @Sendable (any HCITransport) -> Void
    ) async throws(TransportError) -> UInt16 {
        let endpoint = SocketEndpoint.tcp(host: host, port: port)
        let address = try await server.start(endpoint, on: executor, accepted: accepted)
        return address.port ?? port
    }

    /// Stops listening. Accepted connections stay open.
    public func stop() async {
        await server.stop()
    }
}
