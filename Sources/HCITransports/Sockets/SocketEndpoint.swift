// SPDX-License-Identifier: Apache-2.0

/// Where a socket leads.
enum SocketEndpoint: Equatable, Sendable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// The endpoint as an adapter specification writes it.
    var name: String {
        switch self {
        case .tcp(let host, let port):
            host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The addresses to try, in order. Asks the network for a name only if it must, on another
    /// thread.
    func addresses() async throws(TransportError) -> [SocketAddress] {
        switch self {
        case .tcp(let host, let port): try await HostName(host).addresses(port: port)
        case .unix(let path): [try SocketAddress(path: path)]
        }
    }

    /// The endpoint with the port that the system chose, if it did.
    func bound(to address: SocketAddress) -> SocketEndpoint {
        guard case .tcp(let host, _) = self, let port = address.port else { return self }
        return .tcp(host: host, port: port)
    }

    /// A system error of this endpoint.
    func error(_ operation: String, _ error: SystemError) -> TransportError {
        if case .unix(let path) = self {
            return error.transportError(operation, name: name, path: path)
        }
        return error.transportError(operation, name: name)
    }
}
