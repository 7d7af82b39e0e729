// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import VirtualAdapters

/// The virtual radio of a virtual adapter, open to other hosts while a command runs.
struct OpenAir: Sendable {
    private let server: AirServer

    /// Accepts hosts at these addresses, and prints the addresses as a remark. Throws
    /// `ProgramFailure`.
    init(
        _ access: AdapterAccess,
        at addresses: [AdapterSpecification],
        _ console: Console
    ) async throws {
        guard let air = access.air else {
            throw ProgramFailure.noAirToJoin
        }
        server = AirServer(air) { _ in }
        for warning in addresses.compactMap(\.openness) { console.remark(warning) }
        for address in addresses {
            do {
                let actual = try await server.listen(at: address)
                console.remark("lanyard: other hosts join this radio with --adapter \(actual)\n")
            } catch {
                await server.stop()
                throw ProgramFailure(error, listeningAt: address)
            }
        }
    }

    /// Stops accepting hosts.
    func close() async {
        await server.stop()
    }
}

extension ProgramFailure {
    /// The failure for an adapter without a virtual radio.
    static let noAirToJoin = usage(
        "only a virtual adapter has a radio that other hosts can join",
        advice: "leave --listen out, or give --adapter virtual"
    )

    /// Creates the failure to listen at an address.
    init(_ error: TransportError, listeningAt address: AdapterSpecification) {
        let step = "cannot listen at \(TerminalText.escape("\(address)"))"
        switch error {
        case .noSuchFile(let path):
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            self.init(
                .adapterUnavailable,
                "\(step): there is no directory \(TerminalText.escape(folder))",
                advice: "make the directory, or give --listen another path"
            )
        case .permissionDenied:
            self.init(
                .adapterUnavailable,
                "\(step): permission denied",
                advice: "give --listen a path in a directory of yours, or a port above 1023"
            )
        case .unreachable:
            self.init(
                .adapterUnavailable,
                "\(step): this machine has no such address",
                advice: "use an address of this machine, such as tcp:127.0.0.1:6402"
            )
        case .addressInUse where address.isOtherFile:
            self.init(
                .adapterUnavailable,
                "\(step): there is a file that is not a socket",
                advice: "give --listen another path"
            )
        case .addressInUse:
            self.init(
                .adapterUnavailable,
                "\(step): another process uses the address",
                advice: "end that process, or give --listen another address"
            )
        default:
            self.init(.adapterUnavailable, "\(step): \(TerminalText.escape("\(error)"))")
        }
    }
}

extension AdapterSpecification {
    /// Whether the address is the path of a file that is not a socket.
    fileprivate var isOtherFile: Bool {
        guard case .unix(let path) = self else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
    }

    /// A warning if other machines may connect to the listening address; `nil` if only this machine
    /// can.
    var openness: String? {
        guard case .tcp(let host, _) = self, !Self.isLoopback(host) else { return nil }
        return """
            lanyard: other machines can connect to \(TerminalText.escape(description)), and HCI has \
            no authentication: use tcp:127.0.0.1:PORT or unix:PATH unless the network is yours alone\n
            """
    }

    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if ["localhost", "::1", "0:0:0:0:0:0:0:1"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Parses the address of RootCanal's Link Layer port. Throws `ProgramFailure`.
    static func rootCanal(_ text: String) throws -> AdapterSpecification {
        guard case .tcp(let host, let port)? = try? AdapterSpecification(text), port != 0 else {
            throw ProgramFailure.usage(
                "'\(TerminalText.escape(text))' is not the address of RootCanal's Link Layer port",
                advice: "use tcp:127.0.0.1:6404"
            )
        }
        return .tcp(host: host, port: port)
    }

    /// Parses the address to listen on. Throws `ProgramFailure`.
    static func listening(_ text: String) throws -> AdapterSpecification {
        do {
            return try AdapterSpecification(listening: text)
        } catch {
            throw ProgramFailure.usage(
                "'\(TerminalText.escape(text))' is not an address to listen at",
                advice: "use tcp:127.0.0.1:PORT or unix:PATH"
            )
        }
    }
}
