// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening stream socket and its accepted connections, for `TCPServer` and `UnixServer`.
final class SocketServer: Sendable {
    private struct Running {
        let listener: SocketListener
        let executor: AdapterExecutor
    }

    private let running = Lock<Running?>(nil)

    /// Binds to the first address of the endpoint that the system permits, and starts to accept
    /// connections.
    func start(
        _ endpoint: SocketEndpoint,
        on executor: any HostExecutor,
        accepted: @escaping @Sendable (any HCITransport) -> Void
    ) async throws(TransportError) -> SocketAddress {
        guard let executor = executor as? AdapterExecutor else {
            throw .unsuitableExecutor(endpoint.name)
        }
        let addresses = try await endpoint.addresses()
        let descriptor = try Self.bind(addresses, of: endpoint)
        let bound = SocketAddress(boundTo: descriptor) ?? addresses[0]
        let name = endpoint.bound(to: bound).name
        var acceptedCount = 0
        let listener = SocketListener(descriptor, executor: executor) {
            socket throws(SystemError) in
            let number = accept(socket.number, nil, nil)
            guard number >= 0 else { throw .last }
            let connection = Descriptor(owning: number)
            connection.makeStreamSocketReady()
            acceptedCount += 1
            accepted(SocketTransport(accepted: connection, name: "\(name)#\(acceptedCount)"))
        }
        let isFirst = running.withLock { running in
            guard running == nil else { return false }
            running = Running(listener: listener, executor: executor)
            return true
        }
        guard isFirst else { throw .alreadyOpen(endpoint.name) }
        executor.perform { listener.listen() }
        return bound
    }

    private static func bind(
        _ addresses: [SocketAddress],
        of endpoint: SocketEndpoint
    ) throws(TransportError) -> Descriptor {
        var lastError = TransportError.unreachable(endpoint.name)
        for address in addresses {
            do throws(SystemError) {
                return try Descriptor.listeningSocket(at: address)
            } catch {
                lastError = endpoint.error("listen on", error)
            }
        }
        throw lastError
    }

    /// Closes the listening socket, and returns once it is closed. The result is `false` if there
    /// was none.
    @discardableResult
    func stop() async -> Bool {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopped else { return false }
        await stopped.executor.performAndWait { stopped.listener.close() }
        return true
    }
}
