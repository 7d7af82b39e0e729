// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The name of an adapter in a configuration or on a command line.
///
/// ```swift
/// let transport = try AdapterSpecification("tcp:localhost:9000").makeTransport()
/// ```
public enum AdapterSpecification: Hashable, Sendable {
    /// `hci0`: the adapter of this computer with this number in the Linux kernel.
    case hci(index: UInt16)
    /// `hci:AA:BB:CC:DD:EE:FF`: the adapter with this public address, whatever its number is.
    case hciAddress(DeviceAddress)
    /// `tcp:HOST:PORT`. An IPv6 address is enclosed in brackets: `tcp:[::1]:9000`.
    case tcp(host: String, port: UInt16)
    /// `unix:PATH`.
    case unix(path: String)
    /// `gateway:HOST:PORT`: a controller of a gateway with which this host is enrolled.
    case gateway(host: String, port: UInt16)
    /// `serial:DEVICE@SPEED`, followed by options: `serial:/dev/ttyUSB0@1000000,flow=none`.
    case serial(SerialLine)

    /// The accepted forms, for error messages.
    package static let forms =
        "hci0, hci:ADDRESS, tcp:HOST:PORT, unix:PATH, gateway:HOST:PORT or serial:DEVICE@SPEED"

    /// The accepted forms of a socket for listening, for error messages.
    static let socketForms = "tcp:HOST:PORT or unix:PATH"

    /// Creates a specification from its text.
    ///
    /// - Throws: ``AdapterSpecificationError``, whose description lists the accepted forms.
    public init(_ text: String) throws(AdapterSpecificationError) {
        if let index = Self.index(text) {
            self = .hci(index: index)
        } else {
            try self.init(text, ports: 1...UInt16.max)
        }
    }

    /// Creates the specification of a socket for listening. With port 0, the system chooses a port.
    package init(listening text: String) throws(AdapterSpecificationError) {
        guard Self.index(text) == nil else { throw AdapterSpecificationError(text, .noSocket) }
        try self.init(text, ports: 0...UInt16.max)
        switch self {
        case .tcp, .unix: break
        case .hci, .hciAddress, .serial, .gateway:
            throw AdapterSpecificationError(text, .noSocket)
        }
    }

    private init(
        _ text: String,
        ports: ClosedRange<UInt16>
    ) throws(AdapterSpecificationError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw AdapterSpecificationError(text, .noKind) }
        switch parts[0] {
        case "hci":
            guard let address = DeviceAddress(parts[1], kind: .public) else {
                throw AdapterSpecificationError(text, .malformedAddress)
            }
            self = .hciAddress(address)
        case "tcp":
            guard let (host, port) = Self.endpoint(parts[1], ports: ports) else {
                throw AdapterSpecificationError(text, .malformedTCP)
            }
            self = .tcp(host: host, port: port)
        case "gateway":
            guard let (host, port) = Self.endpoint(parts[1], ports: ports) else {
                throw AdapterSpecificationError(text, .malformedGateway)
            }
            self = .gateway(host: host, port: port)
        case "unix":
            guard !parts[1].isEmpty else { throw AdapterSpecificationError(text, .emptyPath) }
            self = .unix(path: String(parts[1]))
        case "serial":
            do throws(SerialLine.Problem) {
                self = .serial(try SerialLine(parts[1]))
            } catch {
                throw AdapterSpecificationError(text, .malformedSerial(error))
            }
        default: throw AdapterSpecificationError(text, .unknownKind)
        }
    }

    /// Returns the number of a text such as `hci0`, or `nil` for any other text, including other
    /// spellings of a number. The number 65535 does not denote an adapter.
    private static func index(_ text: String) -> UInt16? {
        guard text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), index < .max,
            text == "hci\(index)"
        else { return nil }
        return index
    }

    private static func endpoint(
        _ text: Substring,
        ports: ClosedRange<UInt16>
    ) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), ports.contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : (String(host), port)
    }

    /// Creates the transport for this adapter, which is not open yet.
    public func makeTransport() -> any HCITransport {
        switch self {
        case .hci(let index): UserChannelTransport(index: index)
        case .hciAddress(let address): UserChannelTransport(address: address)
        case .tcp(let host, let port): TCPTransport(host: host, port: port)
        case .unix(let path): UnixTransport(path: path)
        case .gateway(let host, let port): GatewayTransport(host: host, port: port)
        case .serial(let line): SerialTransport(line)
        }
    }
}

extension AdapterSpecification: CustomStringConvertible {
    /// The text from which this specification can be created.
    public var description: String {
        switch self {
        case .hci(let index): SystemAdapterName.index(index).description
        case .hciAddress(let address): SystemAdapterName.address(address).description
        case .tcp(let host, let port): SocketEndpoint.tcp(host: host, port: port).name
        case .unix(let path): SocketEndpoint.unix(path: path).name
        case .gateway(let host, let port): GatewayTransport.name(host: host, port: port)
        case .serial(let line): line.description
        }
    }
}

/// The reason why a text is not an adapter specification.
public struct AdapterSpecificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A fault of the text.
    public enum Problem: Hashable, Sendable {
        /// The text does not begin with the kind of transport and a colon, and is not `hci` with a
        /// number.
        case noKind
        /// The text before the colon is not a kind of transport.
        case unknownKind
        /// The address does not consist of six bytes with colons.
        case malformedAddress
        /// The specification is not a socket, which is required for listening.
        case noSocket
        /// The text after `tcp:` is not a host, a colon and a port from 1 to 65535. Port 0 is valid
        /// for listening.
        case malformedTCP
        /// The text after `gateway:` is not a host, a colon and a port from 1 to 65535.
        case malformedGateway
        /// The path after `unix:` is empty.
        case emptyPath
        /// The text after `serial:` is not a device, a speed and options.
        case malformedSerial(SerialLine.Problem)
    }

    /// The text of the user.
    public let text: String
    /// The fault of the text.
    public let problem: Problem

    init(_ text: String, _ problem: Problem) {
        self.text = text
        self.problem = problem
    }

    /// The fault and the accepted forms, in one line.
    public var description: String {
        let forms =
            problem == .noSocket ? AdapterSpecification.socketForms : AdapterSpecification.forms
        return "'\(text)' is not an adapter: \(problemText); use \(forms)"
    }

    /// A description of the problem.
    package var problemText: String {
        switch problem {
        case .noKind: "the kind of adapter is missing"
        case .unknownKind: "the kind of adapter is unknown"
        case .malformedAddress: "hci: requires an address such as AA:BB:CC:DD:EE:FF"
        case .noSocket: "it is not a socket"
        case .malformedTCP: "tcp: requires a host and a port from 1 to 65535"
        case .malformedGateway: "gateway: requires a host and a port from 1 to 65535"
        case .emptyPath: "unix: requires the path of a socket"
        case .malformedSerial(let problem): problem.description
        }
    }
}

extension AdapterSpecification {
    /// The character between the adapters of a list.
    package static let listSeparator: Character = "+"
    /// The maximum number of adapters that work as one.
    package static let listLimit = 64

    /// Parses several adapters that work as one, for example `hci0+tcp:192.0.2.1:9000`.
    ///
    /// - Parameter text: The names of at least two different adapters, separated by `+`.
    /// - Returns: The adapters; `nil` if the text is not such a list. The text `unix:/a+b` is not a
    ///   list, because `b` is not an adapter. The text `unix:/a+hci0` is a list, so it does not
    ///   name the socket `/a+hci0` where lists are accepted. The list can have more than
    ///   `listLimit` adapters.
    package static func list(_ text: String) -> [AdapterSpecification]? {
        let parts = text.split(separator: listSeparator, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let adapters = parts.compactMap { try? AdapterSpecification(String($0)) }
        guard adapters.count == parts.count, Set(adapters).count == adapters.count else {
            return nil
        }
        return adapters
    }
}
