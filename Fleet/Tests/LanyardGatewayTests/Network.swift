// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// A network between hosts and a gateway, which a test can cut. Bytes that are sent meanwhile
/// arrive when the test restores the network.
final class Network: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channels = Mutex<[any Channel]>([])
    private let listener = Mutex<(any Channel)?>(nil)

    /// Begins to relay to a port of this machine. Returns its own port.
    func start(to gateway: Int) async throws -> Int {
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { [self] channel in
                channels.withLock { $0.append(channel) }
                return ClientBootstrap(group: channel.eventLoop)
                    .channelInitializer { [self] other in
                        channels.withLock { $0.append(other) }
                        return other.pipeline.addHandler(Relay(to: channel))
                    }
                    .connect(host: "127.0.0.1", port: gateway)
                    .flatMap { channel.pipeline.addHandler(Relay(to: $0)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.listener.withLock { $0 = listener }
        return listener.localAddress?.port ?? 0
    }

    /// Sets whether the network carries anything.
    func setOpen(_ isOpen: Bool) async throws {
        for channel in channels.withLock({ $0 }) where channel.isActive {
            try? await channel.setOption(.autoRead, value: isOpen).get()
        }
    }

    func end() async throws { try await group.shutdownGracefully() }
}

/// A handler that passes the bytes and the end of its channel on to another channel.
final class Relay: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
