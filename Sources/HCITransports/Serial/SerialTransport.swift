// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A controller at the end of a UART.
///
/// ```swift
/// let transport = SerialTransport(SerialLine(path: "/dev/ttyUSB0", speed: 1_000_000))
/// ```
///
/// The line is this process's alone while it is open. H4 has no checksums (Vol 4, Part A): a byte that
/// changes on the way is noticed only if packets cannot be told apart any more, and then the host
/// resets the controller and goes on. `TracingTransport` does not see what is said while it opens.
public final class SerialTransport: HCITransport {
    #if os(Linux)
        /// A line that is open.
        private struct Opening {
            let stream: ByteStream
            let outcome: SerialStartUp.Outcome
        }

        private enum State {
            case closed, opening
            case open(Opening)
        }

        private let state = Mutex(State.closed)
    #endif

    private let line: SerialLine

    /// Makes a transport of a line.
    public init(_ line: SerialLine) {
        self.line = line
    }

    /// The line as an adapter specification writes it: `serial:/dev/ttyUSB0@1000000`.
    public var name: String { line.description }

    /// True: a UART has no checksums and repeats nothing.
    public var losesBytes: Bool { true }

    #if os(Linux)
        /// Why the line is slower than it was to be; nil if it is not, or not open.
        public var notice: String? { opened?.outcome.notice }

        /// The speed of the open line in bits per second; nil if it is not open.
        public var speed: Int? { opened?.outcome.speed }

        private var opened: Opening? {
            state.withLock { state in
                guard case .open(let opening) = state else { return nil }
                return opening
            }
        }

        /// Opens the port, resets the controller, and brings both to their speed.
        ///
        /// Fails if there is no such device, somebody else has it, the user may not use it, or nobody
        /// answers within some seconds.
        public func open(
            on executor: any HostExecutor,
            receive: @escaping @Sendable (TransportEvent) -> Void
        ) async throws(TransportError) {
            guard let executor = executor as? AdapterExecutor else {
                throw .unsuitableExecutor(name)
            }
            try beginOpening()
            do throws(TransportError) {
                let opened = try await findController(on: executor)
                await start(opened, on: executor, receive: receive)
            } catch {
                state.withLock { $0 = .closed }
                guard case .serial(.inUse(let path, _)) = error else { throw error }
                throw .serial(.inUse(path: path, by: await SerialPorts.findHolders(of: path)))
            }
        }

        private func beginOpening() throws(TransportError) {
            let isFirst = state.withLock { state in
                guard case .closed = state else { return false }
                state = .opening
                return true
            }
            if !isFirst { throw .alreadyOpen(name) }
        }

        private func findController(
            on executor: AdapterExecutor
        ) async throws(TransportError) -> SerialOpening.Opened {
            let opening = SerialOpening(line, executor: executor)
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    executor.perform { opening.start { continuation.resume(returning: $0) } }
                }
            } onCancel: {
                executor.perform { opening.cancel() }
            }
            return try outcome.get()
        }

        private func start(
            _ opened: SerialOpening.Opened,
            on executor: AdapterExecutor,
            receive: @escaping @Sendable (TransportEvent) -> Void
        ) async {
            let port = Mutex<SerialPort?>(opened.port)
            let stream = ByteStream(
                opened.port.descriptor,
                .terminal,
                name: name,
                executor: executor,
                receive: receive,
                ended: { [self] error in
                    // Closed before anybody hears of it, who may want to open it at once.
                    port.withLock { port in
                        port?.release()
                        port = nil
                    }
                    state.withLock { $0 = .closed }
                    receive(.closed(error))
                }
            )
            state.withLock { $0 = .open(Opening(stream: stream, outcome: opened.outcome)) }
            await withCheckedContinuation { continuation in
                executor.perform {
                    stream.start()
                    continuation.resume()
                }
            }
        }

        /// Sends whole packets at the end of the thread's turn.
        public func send(_ packets: [[UInt8]]) {
            opened?.stream.send(packets)
        }

        /// Closes the line.
        public func close() {
            opened?.stream.close()
        }
    #else
        /// Fails: serial lines are supported on Linux.
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
