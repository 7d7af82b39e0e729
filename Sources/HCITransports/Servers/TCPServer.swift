// SPDX-License-Identifier: Apache-2.0

/// Waits on a TCP port for the other side to connect: hosts for a controller, or controllers for a
/// host.
public final class TCPServer: Sendable {
    private let host: String
    private let port: UInt16
    private let server = SocketServer()

    /// Makes a server for a local address; port 0 lets the system choose one.
    public init(host: String = "localhost", port: UInt16 = 0) {
        self.host = host
        self.port = port
    }

    /// Begins to listen, and returns the port.
    ///
    /// `accepted` is called on the executor's thread with each connection: a transport still to be
    /// opened, once. One that is let go without being opened is closed.
    public func start(
        on executor: any HostExecutor,
        accepted: @escaping @Sendable (any HCITransport) -> Void
    ) async throws(TransportError) -> UInt16 {
        let endpoint = SocketEndpoint.tcp(host: host, port: port)
        let address = try await server.start(endpoint, on: executor, accepted: accepted)
        return address.port ?? port
    }

    /// Stops to listen. Connections accepted before stay.
    public func stop() async {
        await server.stop()
    }
}
