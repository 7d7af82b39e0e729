// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// A wrapper of a transport that writes every packet to a file in Wireshark's format.
///
/// ```swift
/// let transport = try TracingTransport(wrapping: controller, path: "trace.btsnoop")
/// ```
///
/// The packets of each turn of the executor's event loop are written to the file at the end of the
/// turn. A process that is killed loses at most the packets of its last turn. When the transport is
/// opened again, it continues in the same file. If the file can no longer be written, the packets
/// still pass, and `failure` contains the error.
///
/// By default, the file contains zeros in place of keys. It does contain the values that
/// applications read and write.
public final class TracingTransport: HCITransport {
    private struct State {
        var deframer = H4Deframer()
        var executor: (any HostExecutor)?
        var isFlushAwaited = false
    }

    private static let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet

    private let inner: any HCITransport
    private let sink: any TraceSink
    private let state = Lock(State())

    /// Wraps a transport, and creates the file or truncates an existing one.
    ///
    /// - Parameters:
    ///   - inner: The transport.
    ///   - path: The path of the file.
    ///   - includesKeys: Whether the file contains keys. With the keys, a reader of the file can
    ///     decrypt the links.
    /// - Throws: ``TransportError`` if the file cannot be created or written.
    public init(
        wrapping inner: any HCITransport,
        path: String,
        includesKeys: Bool = false
    ) throws(TransportError) {
        self.inner = inner
        sink = try TraceFile(creatingAt: path, includesKeys: includesKeys)
    }

    /// Wraps a transport, and passes every packet to an observer, with zeros in place of keys.
    ///
    /// - Parameters:
    ///   - inner: The transport.
    ///   - observer: The closure that gets the packets, on the executor's thread.
    package init(
        wrapping inner: any HCITransport,
        observer: @escaping @Sendable (Btsnoop.Record) -> Void
    ) {
        self.inner = inner
        sink = TraceObserver(observer)
    }

    /// The name of the wrapped transport.
    public var name: String { inner.name }

    /// Whether the wrapped transport may lose bytes.
    public var losesBytes: Bool { inner.losesBytes }

    /// The maximum length of a packet that the wrapped transport sends.
    public var longestPacket: Int? { inner.longestPacket }

    /// The notice of the wrapped transport.
    public var notice: String? { inner.notice }

    /// The error that stopped the log, for example because the disk is full; `nil` if the log
    /// continues.
    public var failure: TransportError? { sink.failure }

    /// Opens the wrapped transport.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        // The executor is set before the opening, because packets may pass before `open` returns.
        let isFirst = state.withLock { state in
            guard state.executor == nil else { return false }
            state.executor = executor
            return true
        }
        guard isFirst else { throw .alreadyOpen(name) }
        do {
            try await inner.open(on: executor) { [self] event in
                note(event)
                receive(event)
            }
        } catch {
            forgetConnection()
            throw error
        }
    }

    /// Sends the packets, and logs them.
    public func send(_ packets: [[UInt8]]) {
        inner.send(packets)
        guard state.withLock({ $0.executor != nil }) else { return }
        for packet in packets { note(sent: packet) }
        flushAtTurnEnd()
    }

    /// Closes the wrapped transport.
    public func close() {
        inner.close()
    }

    /// Watches the wrapped transport.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        inner.watch(on: executor, returned: returned)
    }

    private func note(sent packet: [UInt8]) {
        sink.append(packet[...], .sent)
        // On a transport that may lose bytes, the host skips all received bytes from HCI Reset to
        // its answer (Vol 4, Part A, 4). The log does the same, so that it finds the same packets.
        guard inner.losesBytes, packet == Self.reset else { return }
        state.withLock { $0.deframer.resynchronize() }
    }

    private func note(_ event: TransportEvent) {
        switch event {
        case .received(let bytes):
            state.withLock { note(bytes, &$0.deframer) }
            flushAtTurnEnd()
        case .closed:
            forgetConnection()
            sink.flush()
        }
    }

    private func note(_ bytes: ArraySlice<UInt8>, _ deframer: inout H4Deframer) {
        let rest = deframer.split(bytes) { sink.append($0, .received) }
        // Bytes that can no longer be split into packets are still logged.
        if let rest { sink.append(rest, .received) }
    }

    private func forgetConnection() {
        state.withLock { $0 = State() }
    }

    private func flushAtTurnEnd() {
        let executor = state.withLock { state in
            guard !state.isFlushAwaited else { return nil as (any HostExecutor)? }
            state.isFlushAwaited = state.executor != nil
            return state.executor
        }
        executor?.performAtTurnEnd { [self] in
            state.withLock { $0.isFlushAwaited = false }
            sink.flush()
        }
    }
}
