// SPDX-License-Identifier: Apache-2.0

/// A transport to a controller that listens on a TCP port.
///
/// ```swift
/// let transport = TCPTransport(host: "localhost", port: 9000)
/// ```
///
/// The bytes are not encrypted, so use the transport only on the loopback interface or on a trusted
/// network.
public final class TCPTransport: HCITransport {
    private let transport: SocketTransport

    /// Creates a transport to a port of a host.
    ///
    /// - Parameters:
    ///   - host: A name or a numeric address, IPv4 or IPv6.
    ///   - port: The port.
    public init(host: String, port: UInt16) {
        transport = SocketTransport(.tcp(host: host, port: port))
    }

    /// The name: `tcp:HOST:PORT`.
    public var name: String { transport.name }

    /// Connects within ten seconds after the lookup of the host's name.
    ///
    /// - Throws: ``TransportError`` if there is no listener, the host is unknown, or no answer
    ///   arrives in time.
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
