// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix

/// The connection of `lanyard-gateway connect` to the program that started it. Standard output
/// carries a status line and then packets to that program. Standard input carries the packets of
/// that program, and its end ends the connection to the gateway.
///
/// Standard input and output are on the event loop of the connection, so a packet passes without a
/// change of threads.
///
/// The conformance to `Sendable` is unchecked: everything mutable is used on `loop` only.
final class StandardStreamRelay: @unchecked Sendable {
    private let loop: any EventLoop
    private let ended: EventLoopPromise<String>
    private var connection: GatewayConnection?
    private var channel: (any Channel)?
    private var isGranted = false
    private var isFlushDue = false

    init(on loop: any EventLoop) {
        self.loop = loop
        ended = loop.makePromise()
    }

    /// Takes standard input and output, which must be sockets or pipes.
    func open() async throws {
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(of: self))
                }
            }
            .takingOwnershipOfDescriptors(input: STDIN_FILENO, output: STDOUT_FILENO).get()
        try await loop.submit { [self] in self.channel = channel }.get()
    }

    /// Passes packets between standard input and output and a connection to a gateway, until the
    /// connection ends.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - open: A closure that opens the connection.
    /// - Returns: The reason for the end, which is empty if standard input has ended, and whether the
    ///   gateway had granted the lease.
    func relay(
        _ connection: GatewayConnection,
        open: @escaping @Sendable () -> Void
    ) async throws -> (reason: String, isGranted: Bool) {
        loop.execute { [self] in
            self.connection = connection
            open()
            _ = channel?.setOption(.autoRead, value: true)
        }
        let reason = try await ended.futureResult.get()
        return (reason, try await loop.submit { [self] in isGranted }.get())
    }

    func receive(_ event: GatewayConnection.Event) {
        loop.preconditionInEventLoop()
        switch event {
        case .granted:
            isGranted = true
            write(Array("granted\n".utf8)) {}
        case .packets(let bytes):
            write(bytes) { [self] in connection?.consumed(bytes.count) }
        case .ended(let reason): ended.succeed(reason)
        }
    }

    /// Writes bytes after all earlier ones. Packets that arrived together are written together.
    /// `written` is called when the system has taken the bytes.
    private func write(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
        guard let channel else { return }
        // A failure means that the program has ended. The end of standard input reports this, too.
        channel.write(ByteBuffer(bytes: bytes)).whenSuccess(written)
        guard !isFlushDue else { return }
        isFlushDue = true
        loop.execute { [self] in
            isFlushDue = false
            channel.flush()
        }
    }

    /// Writes the status line with the reason why the host has no lease, and waits until the line
    /// is written, for a second at most.
    func fail(_ reason: String) async {
        let line = ByteBuffer(string: "failed \(reason)\n")
        let isWritten: EventLoopFuture<Void> = loop.flatSubmit { [self] in
            ended.succeed(reason)
            guard let channel else { return loop.makeSucceededVoidFuture() }
            let promise = loop.makePromise(of: Void.self)
            loop.scheduleTask(in: .seconds(1)) { promise.succeed() }
            channel.writeAndFlush(line).whenComplete { _ in promise.succeed() }
            return promise.futureResult
        }
        try? await isWritten.get()
    }

    fileprivate func received(_ bytes: ByteBuffer) {
        connection?.send(Array(bytes.readableBytesView))
    }

    fileprivate func inputEnded() { connection?.end("") }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let end: StandardStreamRelay

    init(of end: StandardStreamRelay) { self.end = end }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        end.received(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end.inputEnded()
        context.fireChannelInactive()
    }
}
