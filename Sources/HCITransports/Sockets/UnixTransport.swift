// SPDX-License-Identifier: Apache-2.0

/// A controller that listens on a Unix socket: the cheapest way to another process.
///
/// ```swift
/// let transport = UnixTransport(path: "/run/controller.sock")
/// ```
public final class UnixTransport: HCITransport {
    private let transport: SocketTransport

    /// Makes a transport to the socket at `path`.
    public init(path: String) {
        transport = SocketTransport(.unix(path: path))
    }

    /// `unix:PATH`.
    public var name: String { transport.name }

    /// Connects.
    ///
    /// Fails if there is no such socket, nobody listens on it, or the user may not use it.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await transport.open(on: executor, receive: receive)
    }

    /// Sends whole packets at the end of the thread's turn.
    public func send(_ packets: [[UInt8]]) {
        transport.send(packets)
    }

    /// Closes the connection.
    public func close() {
        transport.close()
    }
}
