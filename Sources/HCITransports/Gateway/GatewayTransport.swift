// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A transport to a controller that a gateway on another machine offers.
///
/// ```swift
/// let transport = GatewayTransport(host: "hall.example", port: 6403)
/// ```
///
/// The connection is encrypted, and both sides are authenticated. The program `lanyard-gateway`
/// makes the connection, because this package does not contain TLS. The transport starts the
/// program for each connection, and exchanges HCI packets with it over a socket. The program ends
/// with the connection.
public final class GatewayTransport: HCITransport {
    /// The maximum duration of `open`, including the lookup of the name, TLS, and the reset of the
    /// controller.
    static let openingLimit = Duration.seconds(15)

    /// The name: `gateway:HOST:PORT`.
    public let name: String
    private let program: GatewayProgram
    private let address: String
    private let state = OpeningState<ByteStream>()

    /// Creates a transport to the gateway at a port of a host, with which this host is enrolled.
    ///
    /// - Parameters:
    ///   - host: A name or a numeric address, IPv4 or IPv6.
    ///   - port: The port.
    public convenience init(host: String, port: UInt16) {
        self.init(host: host, port: port, program: GatewayProgram())
    }

    init(host: String, port: UInt16, program: GatewayProgram) {
        name = Self.name(host: host, port: port)
        address = String(name.dropFirst(Self.prefix.count))
        self.program = program
    }

    private static let prefix = "gateway:"

    /// Returns the name of the transport to a gateway: `gateway:HOST:PORT`.
    static func name(host: String, port: UInt16) -> String {
        prefix + SocketEndpoint.tcp(host: host, port: port).name.dropFirst("tcp:".count)
    }

    /// Connects, and waits until the gateway has reset its controller and granted it.
    ///
    /// - Throws: ``TransportError/gateway(_:reason:)`` if the program cannot be started, or if it
    ///   reports a failure. Another ``TransportError`` if the program ends without an answer, no
    ///   answer arrives within 15 seconds, the task is canceled, or the transport cannot be opened
    ///   now.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await state.open(name, on: executor) { executor throws(TransportError) in
            do throws(TransportError) {
                let answer = FirstAnswer<Result<Void, TransportError>>()
                let descriptor = try program.start(["connect", address], name: name)
                await start(descriptor, answer, on: executor, receive: receive)
                try await wait(for: answer, on: executor)
            } catch {
                await executor.performAndWait { [self] in close() }
                throw error
            }
        }
    }

    private func start(
        _ descriptor: Descriptor,
        _ answer: FirstAnswer<Result<Void, TransportError>>,
        on executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async {
        let status = StatusLine()
        let stream = ByteStream(
            descriptor,
            name: name,
            executor: executor,
            receive: { [name] event in
                guard case .received(let bytes) = event else { return }
                switch status.receive(bytes) {
                case .incomplete: break
                case .failed(let reason): answer.give(.failure(.gateway(name, reason: reason)))
                case .granted(let bytes):
                    // `open` may have ended already, and then nothing is delivered.
                    guard answer.give(.success(())) else { return status.abandon() }
                    if !bytes.isEmpty { receive(.received(bytes)) }
                case .packets(let bytes): receive(.received(bytes))
                }
            },
            ended: { [self] error in
                guard status.isGranted else {
                    answer.give(.failure(error ?? .cancelled))
                    return
                }
                state.setClosed(error)
                receive(.closed(error))
            }
        )
        state.setOpen(stream)
        await executor.performAndWait { stream.start() }
    }

    private func wait(
        for answer: FirstAnswer<Result<Void, TransportError>>,
        on executor: AdapterExecutor
    ) async throws(TransportError) {
        let timer = executor.makeTimer { [name] in
            answer.give(.failure(.timedOut(name, after: Self.openingLimit)))
        }
        executor.perform { timer.set(to: executor.now + Self.openingLimit) }
        defer { executor.perform { timer.set(to: nil) } }
        let outcome = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.give(.failure(.cancelled))
        }
        try outcome.get()
    }

    /// Sends complete packets at the end of the thread's turn.
    public func send(_ packets: [[UInt8]]) {
        state.opened?.send(packets)
    }

    /// Closes the connection, which ends the program.
    public func close() {
        state.opened?.close()
    }
}

/// The first line of the program: `granted` or `failed REASON`. Packets follow after `granted`.
private final class StatusLine: Sendable {
    enum Outcome {
        case incomplete
        case failed(String)
        /// The line is complete. The bytes follow it.
        case granted(ArraySlice<UInt8>)
        case packets(ArraySlice<UInt8>)
    }

    private enum State {
        case collecting([UInt8])
        case granted
        case failed
    }

    /// The maximum number of bytes that wait for the end of the line.
    private static let limit = 1_024

    private let state = Lock(State.collecting([]))

    var isGranted: Bool {
        state.withLock { if case .granted = $0 { true } else { false } }
    }

    /// Ignores everything that arrives from now on.
    func abandon() { state.withLock { $0 = .failed } }

    func receive(_ bytes: ArraySlice<UInt8>) -> Outcome {
        state.withLock { state in
            switch state {
            case .granted: return .packets(bytes)
            case .failed: return .incomplete
            case .collecting(var line):
                guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
                    line += bytes
                    guard line.count <= Self.limit else {
                        state = .failed
                        return .failed("the program does not answer as lanyard-gateway does")
                    }
                    state = .collecting(line)
                    return .incomplete
                }
                line += bytes[..<end]
                let text = String(decoding: line, as: UTF8.self)
                guard text != "granted" else {
                    state = .granted
                    return .granted(bytes[(end + 1)...])
                }
                state = .failed
                let prefix = "failed "
                return .failed(
                    text.hasPrefix(prefix)
                        ? String(text.dropFirst(prefix.count))
                        : "the program does not answer as lanyard-gateway does"
                )
            }
        }
    }
}
