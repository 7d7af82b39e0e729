// SPDX-License-Identifier: Apache-2.0

/// A controller that listens on a TCP port, as most virtual controllers do.
///
/// ```swift
/// let transport = TCPTransport(host: "localhost", port: 9000)
/// ```
///
/// Nothing protects the bytes on their way: use it on the loopback or on a network you trust.
public final class TCPTransport: HCITransport {
    private let transport: SocketTransport

    /// Makes a transport to a port of a host, given by name or numeric address, IPv4 or IPv6.
    public init(host: String, port: UInt16) {
        transport = SocketTransport(.tcp(host: host, port: port))
    }

    /// `tcp:HOST:PORT`.
    public var name: String { transport.name }

    /// Connects, within ten seconds.
    ///
    /// Fails if nobody listens, the host is not known, or no answer comes in time.
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
