// SPDX-License-Identifier: Apache-2.0

/// A transport to a controller that listens on a Unix socket.
///
/// ```swift
/// let transport = UnixTransport(path: "/run/controller.sock")
/// ```
public final class UnixTransport: HCITransport {
    private let transport: SocketTransport

    /// Creates a transport to the socket at `path`.
    public init(path: String) {
        transport = SocketTransport(.unix(path: path))
    }

    /// The name: `unix:PATH`.
    public var name: String { transport.name }

    /// Connects to the socket.
    ///
    /// - Throws: ``TransportError`` if the socket does not exist, has no listener, or the user has
    ///   no access.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await transport.open(on: executor, receive: receive)
    }

    /// Sends complete packets at the end of the current turn of the executor's event loop.
    public func send(_ packets: [[UInt8]]) {
        transport.send(packets)
    }

    /// Closes the connection.
    public func close() {
        transport.close()
    }
}
