// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import GatewayProtocol
import HCITransports
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// The driver of a `GatewayCore`: its socket, its connections, its controller and its timer.
///
/// The conformance to `Sendable` is unchecked: after the initializer, everything mutable is used on
/// `loop` only, except `port`, which no longer changes.
final class GatewayServer: @unchecked Sendable {
    /// The time in which a connection must complete the TLS handshake.
    static let handshakeLimit = TimeAmount.seconds(5)

    private let loop: any EventLoop
    private let context: NIOSSLContext
    private let hosts: TrustedCertificates
    private let enrollment: OpenEnrollment
    private let log: @Sendable (String) -> Void
    private var core: GatewayCore
    private var port: ControllerPort?
    private var channels: [Int: any Channel] = [:]
    /// The certificates of connections, with the names of the hosts that have them.
    private var certificates: [Int: (bytes: [UInt8], name: String?)] = [:]
    private var lastConnection = 0
    private var timer: Scheduled<Void>?
    /// The time of the timer for the deadlines; `nil` without one.
    private var timerDeadline: Instant?
    private var listener: (any Channel)?

    /// Creates a gateway that does not listen yet.
    ///
    /// - Parameters:
    ///   - name: Its name, which `Frame.isName` allows.
    ///   - transport: Its controller.
    ///   - folder: Its folder.
    ///   - loop: The event loop of all calls and events.
    ///   - log: A closure that writes a line for a person, called on the loop.
    init(
        name: String,
        transport: any HCITransport,
        folder: StateFolder,
        on loop: any EventLoop,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        self.loop = loop
        self.log = log
        context = try Credentials(in: folder).context(isServer: true)
        hosts = TrustedCertificates(folder: try folder.folder("hosts"))
        enrollment = OpenEnrollment(folder: folder)
        core = GatewayCore(name: name)
        port = ControllerPort(transport, on: loop) { [weak self] in self?.received($0) }
    }

    private var now: Instant {
        Instant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }

    /// Begins to listen. Returns the port.
    func listen(host: String, port: Int) async throws -> Int {
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .gateway)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel) }
            }
        let channel = try await bootstrap.bind(host: host, port: port).get()
        loop.execute { [self] in listener = channel }
        return channel.localAddress?.port ?? port
    }

    /// Ends all connections and closes the controller. Call this method once, and no other method
    /// afterward.
    func stop() async {
        let closing: EventLoopFuture<Void> = loop.flatSubmit { [self] in
            timer?.cancel()
            for channel in channels.values { channel.close(promise: nil) }
            // The reset ends the links and the advertising of the owner.
            if core.owner != nil { port?.send([GatewayCore.reset]) }
            port?.close()
            return listener?.close() ?? loop.makeSucceededVoidFuture()
        }
        try? await closing.get()
        port?.shutDown()
    }

    // MARK: Connections

    private func accept(_ channel: any Channel) throws {
        loop.preconditionInEventLoop()
        guard channels.count < GatewayCore.connectionLimit else {
            log("\(Self.address(of: channel)): refused, because there are too many connections")
            return channel.close(promise: nil)
        }
        lastConnection += 1
        let id = lastConnection
        channels[id] = channel
        let tls = NIOSSLServerHandler(context: context) { [self] certificates, promise in
            promise.succeed(verify(certificates, of: id) ? .certificateVerified : .failed)
        }
        let handler = ServerConnection(id, of: self)
        try channel.pipeline.syncOperations.addHandlers([tls, handler])
    }

    /// Returns whether a certificate is accepted: the certificate of an enrolled host, or any
    /// certificate while a code is valid.
    private func verify(_ certificates: [NIOSSLCertificate], of id: Int) -> Bool {
        loop.preconditionInEventLoop()
        guard let certificate = try? certificates.first?.toDERBytes() else { return false }
        let name = hosts.name(of: certificate)
        self.certificates[id] = (certificate, name)
        return name != nil || enrollment.isOpen(now: Date())
    }

    func connected(_ id: Int) {
        guard let channel = channels[id], let certificate = certificates[id] else { return }
        perform(
            core.connected(
                id,
                from: Self.address(of: channel),
                certificate.name.map { .host($0) } ?? .unenrolled,
                now: now
            )
        )
    }

    func received(_ bytes: ByteBuffer, on id: Int) {
        perform(core.received(bytes.readableBytesView, on: id, now: now))
    }

    func refused(_ id: Int, _ reason: String) {
        guard let channel = channels[id] else { return }
        log("\(Self.address(of: channel)): refused: \(reason)")
        channel.close(promise: nil)
    }

    func disconnected(_ id: Int) {
        channels[id] = nil
        certificates[id] = nil
        perform(core.disconnected(id, now: now))
    }

    static func address(of channel: any Channel) -> String {
        guard let address = channel.remoteAddress, let host = address.ipAddress else {
            return "a connection"
        }
        return "\(host.contains(":") ? "[\(host)]" : host):\(address.port ?? 0)"
    }

    // MARK: Actions

    private func received(_ event: ControllerPort.Event) {
        switch event {
        case .opened: perform(core.controllerOpened(now: now))
        case .sent(let bytes): perform(core.controllerSent(bytes, now: now))
        case .ended(let reason): perform(core.controllerEnded(reason, now: now))
        }
    }

    private func perform(_ actions: [GatewayCore.Action]) {
        loop.preconditionInEventLoop()
        for action in actions {
            switch action {
            case .send(let id, let bytes):
                guard let channel = channels[id] else { continue }
                channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .close(let id): channels[id]?.close(promise: nil)
            case .openController: port?.open()
            case .control(let packets): port?.send(packets)
            case .closeController: port?.close()
            case .check(let id, let secret, let name): check(id, secret, name)
            case .log(let text): log(text)
            }
        }
        setTimer()
    }

    private func check(_ id: Int, _ secret: [UInt8], _ name: String) {
        var isValid = enrollment.take(secret, now: Date())
        if isValid, let certificate = certificates[id] {
            do {
                try hosts.add(certificate.bytes, as: name)
            } catch {
                log("\(error)")
                isValid = false
            }
        }
        perform(core.secretChecked(id, isValid: isValid, now: now))
    }

    /// Sets the timer. Each frame moves the deadlines later, so a timer that is set for an earlier
    /// time stays, and `deadlinePassed` then does nothing.
    private func setTimer() {
        guard let deadline = core.nextDeadline else {
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
            perform(core.deadlinePassed(now: now))
        }
    }
}

private final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let id: Int
    private let server: GatewayServer
    private var hasCompletedHandshake = false
    private var limit: Scheduled<Void>?

    init(_ id: Int, of server: GatewayServer) {
        self.id = id
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        let (id, server) = (id, server)
        limit = context.eventLoop.scheduleTask(in: GatewayServer.handshakeLimit) {
            server.refused(id, "it has not completed the TLS handshake within 5 seconds")
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            hasCompletedHandshake = true
            limit?.cancel()
            server.connected(id)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        server.received(unwrapInboundIn(data), on: id)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.readOnlyWhileWritable()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasCompletedHandshake { server.refused(id, TLSFailure.describe(error)) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        server.disconnected(id)
        context.fireChannelInactive()
    }
}

/// The errors of TLS, for a person.
enum TLSFailure {
    static func describe(_ error: any Error) -> String {
        let text = "\(error)"
        let causes = [
            ("CERTIFICATE_VERIFY_FAILED", "its certificate is not enrolled"),
            ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "it has no certificate"),
            ("UNSUPPORTED_PROTOCOL", "it does not support TLS 1.3"),
            ("WRONG_VERSION_NUMBER", "it does not use TLS"),
            ("HTTP_REQUEST", "it does not use TLS"),
            ("uncleanShutdown", "the connection was lost"),
        ]
        return causes.first { text.contains($0.0) }?.1 ?? "TLS failed (\(text.prefix(160)))"
    }
}
