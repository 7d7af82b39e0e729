// SPDX-License-Identifier: Apache-2.0

// The program on both sides: `serve` offers a controller, and `connect` connects a host to it. The
// host's programs start `connect` themselves, for an adapter such as `gateway:hall.example:6403`.

import ArgumentParser
import Foundation
import GatewayProtocol
import HCITransports

@main
struct LanyardGateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard-gateway",
        abstract: "Offer a Bluetooth controller to a host on another machine, or connect to one.",
        discussion: """
            On the gateway: 'serve' offers a controller, 'code' lets one more host enroll, and 'hosts' \
            lists the enrolled ones. On the host: 'enroll' makes the gateway and the host known to \
            each other. Then --adapter gateway:HOST:PORT works in every command of lanyard.
            """,
        subcommands: [
            ServeCommand.self, CodeCommand.self, HostsCommand.self, EnrollCommand.self,
            ConnectCommand.self,
        ]
    )

    static func main() async {
        ClosedStreams.replace()
        // A write to a socket that the other side has closed then fails, instead of ending the
        // process with a signal.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}

/// The option of every command.
struct StateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of this side's key and of the other side's certificates.",
            discussion: """
                The default is STATE_DIRECTORY, as systemd sets it, or else \
                $XDG_STATE_HOME/lanyard-gateway or ~/.local/state/lanyard-gateway.
                """,
            valueName: "folder"
        )
    )
    var state: String?

    var folder: StateFolder { get throws { try StateFolder(state) } }
}

struct GatewayAddress: ExpressibleByArgument, CustomStringConvertible, Equatable {
    static let defaultPort = GatewayProtocol.defaultPort

    let host: String
    let port: UInt16

    init(host: String, port: UInt16) {
        (self.host, self.port) = (host, port)
    }

    /// Reads `HOST:PORT`, `[::1]:PORT` or, with the default port, `HOST`.
    init?(argument: String) {
        var (host, port) = (argument[...], GatewayProtocol.defaultPort)
        let isBracketed = argument.hasPrefix("[")
        if let colon = argument.lastIndex(of: ":"), !argument.hasSuffix("]"),
            isBracketed || argument.firstIndex(of: ":") == colon
        {
            guard let number = UInt16(argument[argument.index(after: colon)...]) else { return nil }
            (host, port) = (argument[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if isBracketed {
            return nil
        }
        guard !host.isEmpty, host.allSatisfy({ $0.isASCII && $0 != "/" && !$0.isWhitespace }),
            !host.hasPrefix(".")
        else { return nil }
        (self.host, self.port) = (String(host), port)
    }

    var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// A name of a gateway or a host.
struct Name: ExpressibleByArgument {
    let text: String

    var defaultValueDescription: String { text }

    init(text: String) { self.text = text }

    init?(argument: String) {
        guard Frame.isName(argument) else { return nil }
        text = argument
    }
}

/// Writes a line to standard error. Without a reader of standard error, the line is lost.
func remark(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("lanyard-gateway: \(text)\n".utf8))
}

/// Writes the message of an error. Returns the exit code for it.
func fail(_ error: any Error) -> ExitCode {
    remark((error as? StateFolder.Failure)?.description ?? "\(error)")
    return .failure
}
