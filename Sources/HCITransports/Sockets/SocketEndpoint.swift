// SPDX-License-Identifier: Apache-2.0

/// The address of a socket, as a user specifies it.
enum SocketEndpoint: Equatable, Sendable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// The endpoint in the form of an adapter specification.
    var name: String {
        switch self {
        case .tcp(let host, let port):
            host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Returns the addresses to try, in order. A name is looked up only if necessary, on another
    /// thread.
    func addresses() async throws(TransportError) -> [SocketAddress] {
        switch self {
        case .tcp(let host, let port): try await HostName(host).addresses(port: port)
        case .unix(let path): [try SocketAddress(path: path)]
        }
    }

    /// Returns the endpoint with the port of a bound TCP address.
    func bound(to address: SocketAddress) -> SocketEndpoint {
        guard case .tcp(let host, _) = self, let port = address.port else { return self }
        return .tcp(host: host, port: port)
    }

    /// Returns the transport error for a system error of this endpoint.
    func error(_ operation: String, _ error: SystemError) -> TransportError {
        if case .unix(let path) = self {
            return error.transportError(operation, name: name, path: path)
        }
        return error.transportError(operation, name: name)
    }
}
