// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How a user names an adapter in a configuration or on a command line.
///
/// ```swift
/// let transport = try AdapterSpecification("tcp:localhost:9000").makeTransport()
/// ```
public enum AdapterSpecification: Hashable, Sendable {
    /// `hci0`: the adapter of this computer to which the Linux kernel gives this number.
    case hci(index: UInt16)
    /// `hci:AA:BB:CC:DD:EE:FF`: the one with this public address, whatever its number.
    case hciAddress(DeviceAddress)
    /// `tcp:HOST:PORT`; an IPv6 address stands in brackets: `tcp:[::1]:9000`.
    case tcp(host: String, port: UInt16)
    /// `unix:PATH`.
    case unix(path: String)
    /// `serial:DEVICE@SPEED`, and options after it: `serial:/dev/ttyUSB0@1000000,flow=none`.
    case serial(SerialLine)

    /// What is accepted.
    package static let forms = "hci0, hci:ADDRESS, tcp:HOST:PORT, unix:PATH or serial:DEVICE@SPEED"

    /// Reads a specification; throws an error that says what is accepted.
    public init(_ text: String) throws(AdapterSpecificationError) {
        if let index = Self.index(text) {
            self = .hci(index: index)
        } else {
            try self.init(text, ports: 1...UInt16.max)
        }
    }

    /// Reads where to listen, which is a socket; port 0 lets the system choose one.
    package init(listening text: String) throws(AdapterSpecificationError) {
        try self.init(text, ports: 0...UInt16.max)
        switch self {
        case .tcp, .unix: break
        case .hci, .hciAddress, .serial: throw AdapterSpecificationError(text, .noSocket)
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
            guard let specification = Self.tcp(parts[1], ports: ports) else {
                throw AdapterSpecificationError(text, .malformedTCP)
            }
            self = specification
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

    /// The number in `hci0`; nil for anything else, and for what would not be printed that way. The
    /// last number there is stands for no adapter.
    private static func index(_ text: String) -> UInt16? {
        guard text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), index < .max,
            text == "hci\(index)"
        else { return nil }
        return index
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
        case .hci(let index): UserChannelTransport(index: index)
        case .hciAddress(let address): UserChannelTransport(address: address)
        case .tcp(let host, let port): TCPTransport(host: host, port: port)
        case .unix(let path): UnixTransport(path: path)
        case .serial(let line): SerialTransport(line)
        }
    }
}

extension AdapterSpecification: CustomStringConvertible {
    /// The text that reads as this specification.
    public var description: String {
        switch self {
        case .hci(let index): SystemAdapterName.index(index).description
        case .hciAddress(let address): SystemAdapterName.address(address).description
        case .tcp(let host, let port): SocketEndpoint.tcp(host: host, port: port).name
        case .unix(let path): SocketEndpoint.unix(path: path).name
        case .serial(let line): line.description
        }
    }
}

/// Why a text is no adapter specification.
public struct AdapterSpecificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Problem: Hashable, Sendable {
        /// It is not `hci` with a number, and there is no colon after a kind.
        case noKind
        /// No transport has this kind.
        case unknownKind
        /// Not six octets with colons.
        case malformedAddress
        /// Not a socket, where one is wanted to listen on.
        case noSocket
        /// Not a host, a colon and a port from 1 to 65535.
        case malformedTCP
        /// Nothing follows `unix:`.
        case emptyPath
        /// What follows `serial:` is no device, speed and options.
        case malformedSerial(SerialLine.Problem)
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
        "'\(text)' is no adapter: \(complaint); use \(AdapterSpecification.forms)"
    }

    /// What is wrong.
    package var complaint: String {
        switch problem {
        case .noKind: "it does not say what kind"
        case .unknownKind: "this kind is not known"
        case .malformedAddress: "after hci: comes an address such as AA:BB:CC:DD:EE:FF"
        case .noSocket: "nobody can connect to it"
        case .malformedTCP: "after tcp: come a host and a port from 1 to 65535"
        case .emptyPath: "after unix: comes the path of a socket"
        case .malformedSerial(let problem): problem.description
        }
    }
}
