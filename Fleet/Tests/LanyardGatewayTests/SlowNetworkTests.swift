// SPDX-License-Identifier: Apache-2.0

import GatewayProtocol
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import LanyardGateway

@Suite("A gateway and a host on a slow network", .timeLimit(.minutes(2)))
struct SlowNetworkTests {
    /// A host that takes the lease, and then sends without end and reads nothing.
    private final class FloodingHost: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        /// A packet with 65,535 bytes of data, which is one write.
        private static let packet: [UInt8] =
            [0x02, 0x40, 0x00, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 0xFFFF)
        /// The number of bytes of the packet in a frame.
        private static let frameLength = 1_024

        private var writer = FrameWriter()
        private var hasLease = false

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
                let hello = writer.bytes(of: .hello(version: GatewayProtocol.version))
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: hello)), promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // The first frame is the grant.
            guard !hasLease else { return }
            hasLease = true
            let loop = context.eventLoop
            let bound = NIOLoopBound((self, context), eventLoop: loop)
            context.channel.setOption(.autoRead, value: false).whenSuccess {
                let (flooder, context) = bound.value
                flooder.flood(context)
            }
        }

        private func flood(_ context: ChannelHandlerContext) {
            var bytes: [UInt8] = []
            for start in stride(from: 0, to: Self.packet.count, by: Self.frameLength) {
                let part = Self.packet[start...].prefix(Self.frameLength)
                bytes += writer.bytes(of: .packets(Array(part)))
            }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes))).whenSuccess {
                // Not directly: a write that succeeds at once would call this method within itself,
                // until the stack overflows.
                bound.eventLoop.execute {
                    let (flooder, context) = bound.value
                    flooder.flood(context)
                }
            }
        }
    }

    @Test("A host that sends and does not read loses the lease")
    func unreadAnswers() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            let credentials = try net.credentials()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let channel = try await ClientBootstrap(group: group)
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(
                            context: try credentials.context(isServer: false),
                            serverHostname: nil
                        ) { _, promise in promise.succeed(.certificateVerified) }
                        try channel.pipeline.syncOperations.addHandlers([tls, FloodingHost()])
                    }
                }
                .connect(host: "127.0.0.1", port: net.port).get()
            // The controller returns the packets, which then wait for the host.
            try await net.log.wait(for: "the lease has ended: it does not read")
            try? await channel.close().get()
            try await group.shutdownGracefully()
        }
    }
}
