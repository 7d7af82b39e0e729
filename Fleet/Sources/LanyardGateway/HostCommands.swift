// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import GatewayProtocol
import NIOCore
import NIOPosix

/// `enroll`, on the host.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Make this host and a gateway known to each other.",
        discussion: "'lanyard-gateway code' prints the code on the gateway."
    )

    @Argument(help: "The address of the gateway: HOST:PORT.")
    var gateway: GatewayAddress

    @Argument(help: "The code.")
    var code: String

    @Option(help: "The name of this host in the gateway's list of hosts.")
    var name = Name(argument: ProcessInfo.processInfo.hostName) ?? Name.fallback

    @OptionGroup var state: StateOptions

    func run() async throws {
        do {
            guard let code = EnrollmentCode(code) else {
                throw StateFolder.Failure("this is not a code: copy all of its letters")
            }
            let folder = try state.folder
            let gateways = TrustedCertificates(folder: try folder.folder("gateways"))
            let credentials = try Credentials(in: folder)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            let (events, feed) = AsyncStream.makeStream(of: GatewayConnection.Event.self)
            let connection = GatewayConnection(
                .enrollment(secret: code.secret, name: name.text),
                on: loop,
                isTrusted: code.matches,
                received: { feed.yield($0) }
            )
            loop.execute {
                connection.open(host: gateway.host, port: Int(gateway.port), credentials)
            }
            var outcome: Result<String, StateFolder.Failure> = .failure(
                StateFolder.Failure("there is no answer; check the address and the gateway")
            )
            for await event in events {
                switch event {
                case .granted(let name): outcome = .success(name)
                case .packets: continue
                case .ended(let reason): outcome = .failure(StateFolder.Failure(reason))
                }
                break
            }
            let certificate = try await loop.submit { connection.certificate }.get()
            try await group.shutdownGracefully()
            let name = try outcome.get()
            guard let certificate else { throw StateFolder.Failure("TLS gave no certificate") }
            try gateways.add(certificate, as: gateway.description)
            remark("enrolled with \(name): use --adapter gateway:\(gateway)")
        } catch {
            throw fail(error)
        }
    }
}

/// `connect`, which the programs of the host start.
struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect standard input and output to a gateway's controller.",
        discussion: """
            The first line is 'granted', or 'failed' and the reason. HCI packets in H4 format \
            follow, in both directions. Programs start this command for an adapter such as \
            gateway:HOST:PORT.
            """
    )

    @Argument(help: "The address of the gateway: HOST:PORT.")
    var gateway: GatewayAddress

    @OptionGroup var state: StateOptions

    func run() async throws {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let streams = StandardStreamRelay(on: loop)
        do {
            try await streams.open()
        } catch {
            throw fail(
                StateFolder.Failure("standard input and output must be sockets or pipes: \(error)")
            )
        }
        do {
            let outcome = try await relay(on: loop, streams)
            guard !outcome.reason.isEmpty else { return }
            guard outcome.isGranted else { throw StateFolder.Failure(outcome.reason) }
            remark("gateway:\(gateway): \(outcome.reason)")
        } catch {
            // The program that started this one prints the reason for a failure.
            await streams.fail((error as? StateFolder.Failure)?.description ?? "\(error)")
        }
        throw ExitCode.failure
    }

    private func relay(
        on loop: any EventLoop,
        _ streams: StandardStreamRelay
    ) async throws -> (reason: String, isGranted: Bool) {
        let folder = try state.folder
        let gateways = TrustedCertificates(folder: try folder.folder("gateways"))
        guard let expected = gateways.certificate(of: gateway.description) else {
            throw StateFolder.Failure(
                "this host is not enrolled there; use 'lanyard-gateway enroll'"
            )
        }
        let credentials = try Credentials(in: folder)
        let connection = GatewayConnection(
            .lease,
            on: loop,
            isTrusted: { $0 == expected },
            received: streams.receive
        )
        return try await streams.relay(connection) { [gateway] in
            connection.open(host: gateway.host, port: Int(gateway.port), credentials)
        }
    }
}

extension Name {
    /// The name of a host whose own name cannot be used.
    fileprivate static var fallback: Name { Name(text: "host") }
}
