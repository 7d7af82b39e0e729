// SPDX-License-Identifier: Apache-2.0

/// A controller at the end of a UART.
///
/// ```swift
/// let transport = SerialTransport(SerialLine(path: "/dev/ttyUSB0", speed: 1_000_000))
/// ```
///
/// The process uses the line exclusively while it is open. H4 has no checksums (Vol 4, Part A). A
/// corrupted byte is detected only if the framing becomes invalid, and the host then resets the
/// controller and continues. A `TracingTransport` does not record the packets that are exchanged
/// while the line opens.
public final class SerialTransport: HCITransport {
    #if os(Linux)
        private struct Opening {
            let stream: ByteStream
            let outcome: SerialStartUp.Outcome
        }

        private let state = OpeningState<Opening>()
    #endif

    private let line: SerialLine
    private let answerTimeout: Duration

    /// Creates a transport for a line.
    public convenience init(_ line: SerialLine) {
        self.init(line, answerTimeout: SerialStartUp.answerTimeout)
    }

    /// Creates a transport for a line whose controller must answer within `answerTimeout` during
    /// opening.
    init(_ line: SerialLine, answerTimeout: Duration) {
        self.line = line
        self.answerTimeout = answerTimeout
    }

    /// The line in the form of an adapter specification: `serial:/dev/ttyUSB0@1000000`.
    public var name: String { line.description }

    /// `true`, because a UART has no checksums and no retransmission.
    public var losesBytes: Bool { true }

    #if os(Linux)
        /// The reason why the line does not have the requested speed, or `nil` if it has that speed
        /// or is not open.
        public var notice: String? { state.opened?.outcome.notice }

        /// The speed of the open line in bits per second, or `nil` if it is not open.
        public var speed: Int? { state.opened?.outcome.speed }

        /// Opens the port, resets the controller, and changes both to the requested speed if
        /// possible.
        ///
        /// - Throws: ``TransportError/serial(_:)`` if the line cannot be used, or if no controller
        ///   answers within some seconds. Another ``TransportError`` if the device is removed, the
        ///   task is canceled, or the transport cannot be opened now.
        public func open(
            on executor: any HostExecutor,
            receive: @escaping @Sendable (TransportEvent) -> Void
        ) async throws(TransportError) {
            do throws(TransportError) {
                try await state.open(name, on: executor) { executor throws(TransportError) in
                    let opening = SerialOpening(
                        line,
                        answerTimeout: answerTimeout,
                        executor: executor
                    )
                    let opened = try await opening.outcome(on: executor)
                    await start(opened, on: executor, receive: receive)
                }
            } catch {
                guard case .serial(.inUse(let path, _)) = error else { throw error }
                throw .serial(.inUse(path: path, by: await SerialPorts.findHolders(of: path)))
            }
        }

        private func start(
            _ opened: SerialOpening.Opened,
            on executor: AdapterExecutor,
            receive: @escaping @Sendable (TransportEvent) -> Void
        ) async {
            let port = Lock<SerialPort?>(opened.port)
            let stream = ByteStream(
                opened.port.descriptor,
                .terminal,
                name: name,
                executor: executor,
                receive: receive,
                ended: { [self] error in
                    // The port is closed before the event, because its receiver may open it again
                    // immediately.
                    port.withLock { port in
                        port?.release()
                        port = nil
                    }
                    state.setClosed(error)
                    receive(.closed(error))
                }
            )
            state.setOpen(Opening(stream: stream, outcome: opened.outcome))
            await executor.performAndWait { stream.start() }
        }

        /// Sends complete packets at the end of the current turn of the executor's event loop.
        public func send(_ packets: [[UInt8]]) {
            state.opened?.stream.send(packets)
        }

        /// Closes the line.
        public func close() {
            state.opened?.stream.close()
        }
    #else
        /// Fails, because serial lines are supported on Linux only.
        public func open(
            on executor: any HostExecutor,
            receive: @escaping @Sendable (TransportEvent) -> Void
        ) async throws(TransportError) {
            throw .serial(.notSupported)
        }

        /// Does nothing.
        public func send(_ packets: [[UInt8]]) {}

        /// Does nothing.
        public func close() {}
    #endif
}
