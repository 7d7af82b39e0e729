// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import LanyardGateway

/// Tests of refusals between processes that are started with the options that a person uses. Each
/// test checks the printed line.
@Suite("Refusals of gateways and hosts, as processes", .timeLimit(.minutes(2)))
struct RefusalTests {
    private static let unknownHost =
        "the gateway does not know this host; enroll it with 'lanyard-gateway enroll'"

    // MARK: Standard error

    @Test(
        "A gateway serves hosts if its standard error is closed or has no reader",
        arguments: [Program.Errors.closed, .unread]
    )
    func standardError(errors: Program.Errors) async throws {
        try await ProgramHarness.run { net in
            let (_, port) = try await net.serve(errors: errors)
            // The gateway writes a line when it has enrolled a host, and about the lease.
            try await net.enroll("pc", at: port)
            try await net.enroll("laptop", at: port)
            let host = try net.connect("laptop", to: port)
            try await host.output.wait(for: "granted")
        }
    }

    // MARK: Hosts

    @Test("A host is refused before its enrollment, with a new certificate, and after its removal")
    func unknownHosts() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            let stranger = try net.connect("stranger", to: port)
            try await stranger.output.wait(
                for: "failed this host is not enrolled there; use 'lanyard-gateway enroll'"
            )
            try await net.enroll(at: port)
            // The host has lost its key, and made another one.
            for name in ["key.pem", "certificate.pem"] {
                try FileManager.default.removeItem(atPath: "\(net.folder)/pc/\(name)")
            }
            let renewed = try net.connect(to: port)
            try await renewed.output.wait(for: "failed \(Self.unknownHost)")
            try await gateway.log.wait(for: "refused: its certificate is not enrolled")
            try await net.enroll(at: port)
            let enrolled = try net.connect(to: port)
            try await enrolled.output.wait(for: "granted")
            enrolled.kill()
            try await gateway.log.wait(for: "the lease has ended")
            _ = try net.start("hosts", "--remove", "pc", as: "gateway")
            // Until the process above has removed the host, the gateway grants the lease again.
            var answer = "granted"
            while answer == "granted" {
                let removed = try net.connect(to: port)
                try await removed.output.wait(for: "ed")
                answer = removed.output.all.first ?? ""
                removed.kill()
                if answer.contains("being reset") { answer = "granted" }
            }
            #expect(answer == "failed \(Self.unknownHost)")
            try await gateway.log.wait(for: "its certificate is not enrolled", count: 2)
        }
    }

    @Test("An enrollment code that was used is refused, and so is a malformed one")
    func replayedCode() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            let code = try await net.code()
            let address = "127.0.0.1:\(port)"
            let first = try net.start("enroll", address, code, "--name", "pc", as: "pc")
            try await first.log.wait(for: "enrolled with hall: use --adapter gateway:\(address)")
            let thief = try net.start("enroll", address, code, "--name", "thief", as: "thief")
            try await thief.log.wait(for: Self.unknownHost)
            try await gateway.log.wait(for: "refused: its certificate is not enrolled")
            // While another code is valid, the gateway still refuses the old one.
            _ = try await net.code()
            let again = try net.start("enroll", address, code, "--name", "thief", as: "thief")
            try await again.log.wait(for: "the enrollment code is wrong, used or too old")
            try await gateway.log.wait(
                for: "refused: the enrollment code is wrong, used or too old"
            )
            let garbled = try net.start("enroll", address, "not-a-code", as: "thief")
            try await garbled.log.wait(for: "this is not a code: copy all of its letters")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: net.folder + "/gateway/hosts")
                    == ["pc.der"]
            )
        }
    }

    @Test("A host is refused while another one has the lease")
    func secondOwner() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            try await net.enroll(at: port)
            try await net.enroll("laptop", at: port)
            let first = try net.connect(to: port)
            try await first.output.wait(for: "granted")
            let second = try net.connect("laptop", to: port)
            try await second.output.wait(for: "failed hall is in use by pc (127.0.0.1:")
            try await gateway.log.wait(for: ": refused: hall is in use by pc (127.0.0.1:")
            #expect(first.output.all == ["granted"])
        }
    }

    @Test("A host that was cut off is refused when it returns while another one has the lease")
    func healedPartition() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            let network = Network()
            let cuttable = try await network.start(to: port)
            try await net.enroll(at: cuttable)
            try await net.enroll("laptop", at: port)
            let first = try net.connect(to: cuttable)
            try await first.output.wait(for: "granted")
            try await network.setOpen(false)
            try await gateway.log.wait(
                for: "the lease has ended: nothing was received from it for 3.0 seconds"
            )
            try await first.log.wait(
                for: "the gateway is lost: nothing was received from it for 3.0 seconds"
            )
            // The gateway resets the controller first.
            var second = try net.connect("laptop", to: port)
            try await second.output.wait(for: "ed")
            while second.output.all.first?.contains("being reset") == true {
                second = try net.connect("laptop", to: port)
                try await second.output.wait(for: "ed")
            }
            #expect(second.output.all == ["granted"])
            try await network.setOpen(true)
            let back = try net.connect(to: cuttable)
            try await back.output.wait(for: "failed hall is in use by laptop")
            #expect(second.output.all == ["granted"] && second.log.all.isEmpty)
            try await gateway.log.wait(for: "the lease has begun", count: 2)
            let leases = gateway.log.all.filter { $0.hasSuffix("the lease has begun") }
            #expect(leases.count == 2)
            try await network.end()
        }
    }

    @Test("Garbage on the port, or inside of TLS, is refused with a line in the log")
    func garbage() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            try await net.enroll(at: port)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let plain = try await ClientBootstrap(group: group)
                .connect(host: "127.0.0.1", port: port).get()
            try await plain.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.0\r\n\r\n"))
            try await gateway.log.wait(for: "refused: it does not use TLS")
            try await plain.closeFuture.get()
            let context = try Credentials(in: try StateFolder(net.folder + "/pc"))
                .context(isServer: false)
            let inside = try await ClientBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(context: context, serverHostname: nil) {
                            _,
                            promise in promise.succeed(.certificateVerified)
                        }
                        try channel.pipeline.syncOperations.addHandler(tls)
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            try await inside.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.0\r\n\r\n"))
            try await gateway.log.wait(for: "refused: it sent a frame of the unknown kind 71")
            try? await inside.close().get()
            try await group.shutdownGracefully()
        }
    }

    // MARK: Gateways

    @Test("A host refuses a gateway with another certificate than the one that was enrolled")
    func impostor() async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            try await net.enroll(at: port)
            gateway.kill()
            let (impostor, same) = try await net.serve(as: "impostor", port: port)
            #expect(same == port)
            let host = try net.connect(to: port)
            try await host.output.wait(
                for: "failed its certificate is not that of the gateway that was enrolled"
            )
            try await impostor.log.wait(for: "refused: ")
        }
    }

    /// A violation of the protocol by a gateway with the right certificate.
    enum Fault: CaseIterable, Sendable {
        case garbage, packetsBeforeGrant, enrollment, repeatedGrant, excessiveCredit, noPings

        var bytes: [UInt8] {
            var writer = FrameWriter()
            let frames: [Frame] =
                switch self {
                case .garbage: []
                case .packetsBeforeGrant: [.packets([4])]
                case .enrollment: [.enrolled(name: "hall")]
                case .repeatedGrant: [.granted(name: "hall"), .granted(name: "hall")]
                case .excessiveCredit: [.granted(name: "hall"), .credit(1)]
                case .noPings: [.granted(name: "hall")]
                }
            let bytes = frames.flatMap { writer.bytes(of: $0) }
            return bytes.isEmpty ? Array("HTTP/1.0 200 OK\r\n".utf8) : bytes
        }

        /// Whether the program has reported the grant of the lease before the violation.
        var isAfterGrant: Bool {
            switch self {
            case .garbage, .packetsBeforeGrant, .enrollment: false
            case .repeatedGrant, .excessiveCredit, .noPings: true
            }
        }

        var reason: String {
            switch self {
            case .garbage: "the gateway broke the protocol: it sent a frame of the unknown kind 72"
            case .packetsBeforeGrant, .enrollment, .repeatedGrant:
                "the gateway broke the protocol: it sent a frame that is out of place"
            case .excessiveCredit:
                "the gateway broke the protocol: it allowed more than the window"
            case .noPings: "the gateway is lost: nothing was received from it for 3.0 seconds"
            }
        }
    }

    /// A handler that sends bytes when the TLS handshake has completed.
    private final class Sender: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            }
        }
    }

    @Test("A host reports how a gateway violates the protocol", arguments: Fault.allCases)
    func violations(fault: Fault) async throws {
        try await ProgramHarness.run { net in
            let (gateway, port) = try await net.serve()
            try await net.enroll(at: port)
            gateway.kill()
            let context = try Credentials(in: try StateFolder(net.folder + "/gateway"))
                .context(isServer: true)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = NIOSSLServerHandler(context: context) { _, promise in
                            promise.succeed(.certificateVerified)
                        }
                        try channel.pipeline.syncOperations.addHandlers([tls, Sender(fault.bytes)])
                    }
                }
                .bind(host: "127.0.0.1", port: port).get()
            let host = try net.connect(to: port)
            if fault.isAfterGrant {
                try await host.output.wait(for: "granted")
                try await host.log.wait(for: "gateway:127.0.0.1:\(port): \(fault.reason)")
                #expect(host.output.all == ["granted"])
            } else {
                try await host.output.wait(for: "failed \(fault.reason)")
            }
            try await listener.close().get()
            try await group.shutdownGracefully()
        }
    }
}
