// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server for connections on a Unix socket.
///
/// The permissions of the directory and of the socket file determine which users can connect. The
/// server replaces the socket file of a server that no longer runs, but not that of a running one.
public final class UnixServer: Sendable {
    /// The path of the socket file while the server listens.
    public let path: String
    private let server = SocketServer()

    /// Creates a server for a path.
    public init(path: String) {
        self.path = path
    }

    /// Starts to listen.
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
    ) async throws(TransportError) {
        try removeAbandonedSocket()
        _ = try await server.start(.unix(path: path), on: executor, accepted: accepted)
    }

    /// Stops listening, and removes the socket file. Accepted connections stay open.
    public func stop() async {
        if await server.stop() { unlink(path) }
    }

    /// Removes the socket file of a server that no longer runs. The system refuses a connection to
    /// such a file.
    private func removeAbandonedSocket() throws(TransportError) {
        let address = try SocketAddress(path: path)
        guard isSocket, let probe = try? Descriptor.streamSocket(family: address.family),
            address.withPointer({ connect(probe.number, $0, $1) }) != 0,
            SystemError.last.code == ECONNREFUSED
        else { return }
        unlink(path)
    }

    /// Whether the file is a socket. Files of other kinds refuse connections too and must not be
    /// removed.
    private var isSocket: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
