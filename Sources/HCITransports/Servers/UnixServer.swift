// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits on a Unix socket for the other side to connect.
///
/// Who may connect is said by the permissions of the directory. A socket file that a server which
/// is no longer there has left behind is replaced; a living server's is not.
public final class UnixServer: Sendable {
    /// Where the socket file is while it listens.
    public let path: String
    private let server = SocketServer()

    /// Makes a server for a path.
    public init(path: String) {
        self.path = path
    }

    /// Begins to listen.
    ///
    /// `accepted` is called on the executor's thread with each connection: a transport still to be
    /// opened, once. One that is let go without being opened is closed.
    public func start(
        on executor: any HostExecutor,
        accepted: @escaping @Sendable (any HCITransport) -> Void
    ) async throws(TransportError) {
        try removeAbandonedSocket()
        _ = try await server.start(.unix(path: path), on: executor, accepted: accepted)
    }

    /// Stops to listen, and removes the socket file. Connections accepted before stay.
    public func stop() async {
        if await server.stop() { unlink(path) }
    }

    /// A socket file outlives the process that made it. If nobody answers on it, it is in the way.
    private func removeAbandonedSocket() throws(TransportError) {
        let address = try SocketAddress(path: path)
        guard isSocket, let probe = try? Descriptor.streamSocket(family: address.family),
            address.withPointer({ connect(probe.number, $0, $1) }) != 0,
            SystemError.last.code == ECONNREFUSED
        else { return }
        unlink(path)
    }

    /// A file of another kind refuses connections too, and must not be removed for it.
    private var isSocket: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
