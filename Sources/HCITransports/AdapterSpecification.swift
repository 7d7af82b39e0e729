// SPDX-License-Identifier: Apache-2.0

/// How a user names an adapter in a configuration or on a command line.
///
/// ```swift
/// let transport = try AdapterSpecification("tcp:localhost:9000").makeTransport()
/// ```
public enum AdapterSpecification: Hashable, Sendable {
    /// `tcp:HOST:PORT`; an IPv6 address stands in brackets: `tcp:[::1]:9000`.
    case tcp(host: String, port: UInt16)
    /// `unix:PATH`.
    case unix(path: String)

    /// Reads a specification; throws an error that says what is accepted.
    public init(_ text: String) throws(AdapterSpecificationError) {
        try self.init(text, ports: 1...UInt16.max)
    }

    /// Reads where to listen: the same, but port 0 lets the system choose one.
    package init(listening text: String) throws(AdapterSpecificationError) {
        try self.init(text, ports: 0...UInt16.max)
    }

    private init(
        _ text: String,
        ports: ClosedRange<UInt16>
    ) throws(AdapterSpecificationError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw AdapterSpecificationError(text, .noKind) }
        switch parts[0] {
        case "tcp":
            guard let specification = Self.tcp(parts[1], ports: ports) else {
                throw AdapterSpecificationError(text, .malformedTCP)
            }
            self = specification
        case "unix":
            guard !parts[1].isEmpty else { throw AdapterSpecificationError(text, .emptyPath) }
            self = .unix(path: String(parts[1]))
        default: throw AdapterSpecificationError(text, .unknownKind)
        }
    }

    private static func tcp(
        _ text: Substring,
        ports: ClosedRange<UInt16>
    ) -> AdapterSpecification? {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), ports.contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : .tcp(host: String(host), port: port)
    }

    /// Makes the transport it names, not open yet.
    public func makeTransport() -> any HCITransport {
        switch self {
        case .tcp(let host, let port): TCPTransport(host: host, port: port)
        case .unix(let path): UnixTransport(path: path)
        }
    }
}

extension AdapterSpecification: CustomStringConvertible {
    /// The text that reads as this specification.
    public var description: String {
        switch self {
        case .tcp(let host, let port): SocketEndpoint.tcp(host: host, port: port).name
        case .unix(let path): SocketEndpoint.unix(path: path).name
        }
    }
}

/// Why a text is no adapter specification.
public struct AdapterSpecificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Problem: Hashable, Sendable {
        /// There is no colon after a kind.
        case noKind
        /// No transport has this kind.
        case unknownKind
        /// Not a host, a colon and a port from 1 to 65535.
        case malformedTCP
        /// Nothing follows `unix:`.
        case emptyPath
    }

    /// The text as it was given.
    public let text: String
    /// What is wrong with it.
    public let problem: Problem

    init(_ text: String, _ problem: Problem) {
        self.text = text
        self.problem = problem
    }

    /// One line: what is wrong, and what is accepted.
    public var description: String {
        "'\(text)' is no adapter: \(complaint); use tcp:HOST:PORT or unix:PATH"
    }

    /// What is wrong.
    package var complaint: String {
        switch problem {
        case .noKind: "it does not say what kind"
        case .unknownKind: "this kind is not known"
        case .malformedTCP: "after tcp: come a host and a port from 1 to 65535"
        case .emptyPath: "after unix: comes the path of a socket"
        }
    }
}
