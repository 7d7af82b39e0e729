// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import GatewayProtocol
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// The driver of a `GatewayClient`: a connection of a host to a gateway.
///
/// The conformance to `Sendable` is unchecked: everything mutable is used on `loop` only.
final class GatewayConnection: @unchecked Sendable {
    enum Event: Sendable {
        /// The gateway with this name has granted the lease, or has enrolled this host.
        case granted(name: String)
        case packets([UInt8])
        /// The connection has ended. No event follows.
        case ended(String)
    }

    /// The time in which the connection, including TLS, must be established.
    private static let connectLimit = TimeAmount.seconds(10)

    private let loop: any EventLoop
    private let purpose: GatewayClient.Purpose
    private let isTrusted: @Sendable ([UInt8]) -> Bool
    private let received: @Sendable (Event) -> Void
    private var client: GatewayClient?
    /// The channel that has connected. If the name has several addresses, NIO also makes channels
    /// to the others, and closes them.
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    /// The time of the timer for the deadlines; `nil` without one.
    private var timerDeadline: Instant?
    private var hasEnded = false
    /// Whether the gateway has sent anything after the TLS handshake.
    private var hasAnswered = false
    /// The certificate of the gateway.
    private(set) var certificate: [UInt8]?

    /// Creates a connection that is not open yet.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the connection.
    ///   - loop: The event loop of all calls and events.
    ///   - isTrusted: A closure that returns whether a certificate is that of the gateway.
    ///   - received: A closure that receives the events, on the loop.
    init(
        _ purpose: GatewayClient.Purpose,
        on loop: any EventLoop,
        isTrusted: @escaping @Sendable ([UInt8]) -> Bool,
        received: @escaping @Sendable (Event) -> Void
    ) {
        self.purpose = purpose
        self.loop = loop
        self.isTrusted = isTrusted
        self.received = received
    }

    private var now: Instant {
        Instant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }

    /// Connects. The events follow.
    ///
    /// If the name has addresses of both IP versions, NIO tries the next address 250 ms after an
    /// address that has not answered, and uses the first connection (RFC 8305).
    ///
    /// - Parameter resolver: The resolver of the name; `nil` for that of the system.
    func open(
        host: String,
        port: Int,
        _ credentials: Credentials,
        resolver: (any Resolver & Sendable)? = nil
    ) {
        loop.preconditionInEventLoop()
        do {
            let context = try credentials.context(isServer: false)
            let bootstrap = ClientBootstrap(group: loop)
                .resolver(resolver)
                .connectTimeout(Self.connectLimit)
                .channelOption(.writeBufferWaterMark, value: .gateway)
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .channelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try prepare(channel, context) }
                }
            bootstrap.connect(host: host, port: port).whenComplete { [self] result in
                switch result {
                case .success(let channel): connected(channel)
                case .failure(let error): end(Self.describe(error))
                }
            }
            timer = loop.scheduleTask(in: Self.connectLimit) { [weak self] in
                self?.end("there is no answer; check the address and the gateway")
            }
        } catch {
            end("TLS cannot be used: \(error)")
        }
    }

    private func prepare(_ channel: any Channel, _ context: NIOSSLContext) throws {
        let tls = try NIOSSLClientHandler(context: context, serverHostname: nil) {
            [self] certificates, promise in
            certificate = try? certificates.first?.toDERBytes()
            let isKnown = certificate.map(isTrusted) ?? false
            if !isKnown {
                end("its certificate is not that of the gateway that was enrolled")
            }
            promise.succeed(isKnown ? .certificateVerified : .failed)
        }
        try channel.pipeline.syncOperations.addHandlers([tls, Handler(of: self)])
    }

    private func connected(_ channel: any Channel) {
        guard !hasEnded else { return channel.close(promise: nil) }
        self.channel = channel
    }

    fileprivate func handshakeCompleted(on channel: any Channel) {
        guard !hasEnded else { return channel.close(promise: nil) }
        timer?.cancel()
        self.channel = channel
        var client = GatewayClient(purpose, now: now)
        let actions = client.begin(now: now)
        self.client = client
        perform(actions)
    }

    fileprivate func received(_ bytes: ByteBuffer) {
        hasAnswered = true
        perform(client?.received(bytes.readableBytesView, now: now) ?? [])
    }

    /// Sends packets of the host.
    func send(_ bytes: [UInt8]) {
        loop.preconditionInEventLoop()
        perform(client?.hostSent(bytes, now: now) ?? [])
    }

    /// Reports that the host has consumed delivered packets. The client then permits the gateway to
    /// send more, in batches.
    ///
    /// - Parameter count: The number of delivered bytes that the host has consumed.
    func consumed(_ count: Int) {
        loop.preconditionInEventLoop()
        perform(client?.consumed(count, now: now) ?? [])
    }

    /// Ends the connection. An event reports it.
    func end(_ reason: String) {
        loop.preconditionInEventLoop()
        guard !hasEnded else { return }
        hasEnded = true
        timer?.cancel()
        client = nil
        channel?.close(promise: nil)
        received(.ended(reason))
    }

    /// Handles the end of a channel by the gateway or the network.
    fileprivate func lost(_ lost: any Channel, _ reason: String) {
        guard lost === channel else { return }
        // In TLS 1.3, the gateway checks the host's certificate after the host has finished the
        // handshake. The gateway's alert can be lost when the gateway closes the channel. If the
        // gateway accepts the certificate, it sends other reasons before it closes the channel.
        let isRefused = client != nil && !hasAnswered
        end(isRefused ? Self.unknownHost : reason)
    }

    private static let unknownHost =
        "the gateway does not know this host; enroll it with 'lanyard-gateway enroll'"

    private func perform(_ actions: [GatewayClient.Action]) {
        loop.preconditionInEventLoop()
        for action in actions {
            switch action {
            case .send(let bytes):
                channel?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .granted(let name): received(.granted(name: name))
            case .deliver(let bytes): received(.packets(bytes))
            case .end(let reason): end(reason)
            }
        }
        setTimer()
    }

    /// Sets the timer. Each frame moves the deadlines later, so a timer that is set for an earlier
    /// time stays, and `deadlinePassed` then does nothing.
    private func setTimer() {
        guard let deadline = client?.nextDeadline else {
            timer?.cancel()
            (timer, timerDeadline) = (nil, nil)
            return
        }
        if let timerDeadline, timerDeadline <= deadline { return }
        timer?.cancel()
        timerDeadline = deadline
        timer = loop.scheduleTask(
            deadline: .uptimeNanoseconds(UInt64(max(deadline.nanoseconds, 0)))
        ) { [weak self] in
            guard let self else { return }
            timerDeadline = nil
            perform(client?.deadlinePassed(now: now) ?? [])
        }
    }

    fileprivate static func describe(_ error: any Error) -> String {
        let text = "\(error)"
        if text.contains("ALERT_CERTIFICATE") || text.contains("CERTIFICATE_REQUIRED")
            || text.contains("ALERT_UNKNOWN_CA") || text.contains("ALERT_BAD_CERTIFICATE")
        {
            return unknownHost
        }
        if let failure = error as? NIOConnectionError {
            if failure.connectionErrors.isEmpty { return "no such host; check the name" }
            return "the connection was refused; start the gateway, or check the address"
        }
        if error is ChannelError { return "there is no answer; check the address and the gateway" }
        return TLSFailure.describe(error)
    }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: GatewayConnection

    init(of connection: GatewayConnection) { self.connection = connection }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            connection.handshakeCompleted(on: context.channel)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.lost(context.channel, GatewayConnection.describe(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.lost(context.channel, "the gateway has closed the connection")
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.readOnlyWhileWritable()
        context.fireChannelWritabilityChanged()
    }
}

extension ChannelOptions.Types.WriteBufferWaterMark {
    /// The bounds of the bytes that wait for the other side. Above the upper bound, the channel
    /// reads no more from that side.
    static var gateway: Self { Self(low: 1 << 19, high: 1 << 20) }
}

extension ChannelHandlerContext {
    /// Stops reading while the other side does not read, so that the number of waiting answers is
    /// bounded.
    func readOnlyWhileWritable() {
        // A failure means that the channel is closed.
        _ = channel.setOption(.autoRead, value: channel.isWritable)
    }
}
