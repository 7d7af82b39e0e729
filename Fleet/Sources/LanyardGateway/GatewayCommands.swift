// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import NIOPosix

/// `serve`, on the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Offer a controller to enrolled hosts, one at a time.",
        discussion: """
            Resets the controller before and after each lease. Runs until Ctrl-C or SIGTERM. \
            Writes each lease and each refusal to standard error. Prints 'ready: ' and the address.
            """
    )

    @Option(help: "The gateway's name: letters, digits, dots, hyphens and underscores.")
    var name: Name

    @Option(help: "The controller: \(AdapterSpecification.forms).")
    var adapter: String

    @Option(help: "The address to listen at. With port 0, the system chooses one.")
    var listen = GatewayAddress.everywhere

    @OptionGroup var state: StateOptions

    func run() async throws {
        do {
            let adapter: AdapterSpecification
            do {
                adapter = try AdapterSpecification(self.adapter)
            } catch {
                throw StateFolder.Failure("\(error)")
            }
            if case .gateway = adapter {
                throw StateFolder.Failure("a gateway cannot offer another gateway's controller")
            }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let server = try GatewayServer(
                name: name.text,
                transport: adapter.makeTransport(),
                folder: try state.folder,
                on: group.next(),
                log: remark
            )
            let port: Int
            do {
                port = try await server.listen(host: listen.host, port: Int(listen.port))
            } catch {
                throw StateFolder.Failure("cannot listen at \(listen): \(error)")
            }
            let address = GatewayAddress(host: listen.host, port: UInt16(clamping: port))
            try? FileHandle.standardOutput.write(contentsOf: Data("ready: \(address)\n".utf8))
            await StopSignal.wait()
            await server.stop()
            try await group.shutdownGracefully()
        } catch {
            throw fail(error)
        }
    }
}

extension GatewayAddress {
    /// All IPv4 addresses of this machine, with the default port.
    fileprivate static var everywhere: GatewayAddress {
        GatewayAddress(host: "0.0.0.0", port: GatewayAddress.defaultPort)
    }
}

/// SIGINT and SIGTERM.
enum StopSignal {
    static func wait() async {
        let (signals, feed) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { feed.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}

/// `code`, on the gateway.
struct CodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Print a code with which one host can enroll within ten minutes.",
        discussion: """
            Give the code to 'lanyard-gateway enroll' on the host. It is valid once. A new code \
            replaces an earlier one. Use the same --state as 'serve'.
            """
    )

    @OptionGroup var state: StateOptions

    func run() async throws {
        do {
            let folder = try state.folder
            let code = EnrollmentCode(for: try Credentials(in: folder).bytes)
            try OpenEnrollment(folder: folder).begin(code, now: Date())
            print(code)
        } catch {
            throw fail(error)
        }
    }
}

/// `hosts`, on the gateway.
struct HostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hosts",
        abstract: "List the enrolled hosts, or remove one."
    )

    @Option(help: "The name of a host that may not connect any more.")
    var remove: Name?

    @OptionGroup var state: StateOptions

    func run() async throws {
        do {
            let hosts = TrustedCertificates(folder: try state.folder.folder("hosts"))
            guard let remove else {
                for name in hosts.names { print(name) }
                return
            }
            guard hosts.remove(remove.text) else {
                throw StateFolder.Failure(
                    "no host is enrolled as \(remove.text); 'lanyard-gateway hosts' lists the hosts"
                )
            }
        } catch {
            throw fail(error)
        }
    }
}
