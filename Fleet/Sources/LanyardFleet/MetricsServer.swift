// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A service that answers HTTP requests for `/metrics` with the values of a registry.
///
/// It has no encryption and no authentication.
struct MetricsServer: Service {
    /// The maximum number of connections. Further ones are closed.
    static let connectionLimit = 32
    /// The time after which a connection without a request is closed.
    static let idleLimit = TimeAmount.seconds(30)

    let address: NetworkAddress
    let registry: PrometheusRegistry
    let log: @Sendable (String) -> Void

    /// Serves until the graceful shutdown or the cancellation.
    ///
    /// - Throws: The error of the system if the address cannot be used.
    func run() async throws {
        let count = ConnectionCount(limit: Self.connectionLimit)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard count.add(until: channel.closeFuture) else {
                    return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }
                return channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(IdleStateHandler(readTimeout: Self.idleLimit))
                    try handlers.configureHTTPServerPipeline()
                    try handlers.addHandler(MetricsHandler(registry: registry))
                }
            }
            .bind(host: address.host, port: Int(address.port)).get()
        let port = channel.localAddress?.port ?? Int(address.port)
        log("The metrics are at http://\(address.host):\(port)/metrics.")
        try? await gracefulShutdown()
        try await channel.close()
    }
}

private final class ConnectionCount: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Counts a connection until the future completes. Returns `false` if there are too many.
    func add(until end: EventLoopFuture<Void>) -> Bool {
        let isAllowed = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        if isAllowed { end.whenComplete { [self] _ in count.withLock { $0 -= 1 } } }
        return isAllowed
    }
}

/// A handler that answers the first request of a connection, and then closes the connection.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let registry: PrometheusRegistry
    private var request: HTTPRequestHead?

    init(registry: PrometheusRegistry) { self.registry = registry }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let request else { return }
            answer(request, context)
            self.request = nil
        }
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = request.uri.split(separator: "?", maxSplits: 1).first
        var (status, text) = (HTTPResponseStatus.ok, registry.text)
        if request.method != .GET, request.method != .HEAD {
            (status, text) = (.methodNotAllowed, "Use GET.\n")
        } else if path != "/metrics" {
            (status, text) = (.notFound, "The metrics are at /metrics.\n")
        }
        let headers: HTTPHeaders = [
            "Content-Type": status == .ok
                ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
            "Content-Length": "\(text.utf8.count)",
            "Connection": "close",
        ]
        let head = HTTPResponseHead(version: request.version, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            let body = context.channel.allocator.buffer(string: text)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
