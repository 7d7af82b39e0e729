// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import Synchronization

/// Writes every packet that passes a transport to a file that Wireshark opens.
///
/// ```swift
/// let transport = try TracingTransport(wrapping: controller, path: "trace.btsnoop")
/// ```
///
/// What passed in one turn of the executor is in the file when the turn ends, so that it is whole
/// at any time, even after the process was killed. Opening the transport again goes on in the same
/// file. A file that cannot be written any more does not stop the packets: see `failure`.
///
/// Keys are not in the file, zeros stand in their places; what applications read and write is.
public final class TracingTransport: HCITransport {
    private struct State {
        var deframer = H4Deframer()
        var executor: (any HostExecutor)?
        var isFlushAwaited = false
    }

    private static let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet

    private let inner: any HCITransport
    private let file: TraceFile
    private let state = Mutex(State())

    /// Wraps a transport, and makes the file or empties the one that is there.
    ///
    /// - Parameter includesKeys: whether the keys that pass are in the file. Whoever has them can
    ///   listen to the links that they encrypt.
    public init(
        wrapping inner: any HCITransport,
        path: String,
        includesKeys: Bool = false
    ) throws(TransportError) {
        self.inner = inner
        file = try TraceFile(creatingAt: path, includesKeys: includesKeys)
    }

    /// The name of the transport inside.
    public var name: String { inner.name }

    /// Whether the transport inside loses bytes.
    public var losesBytes: Bool { inner.losesBytes }

    /// The longest packet that the transport inside sends.
    public var longestPacket: Int? { inner.longestPacket }

    /// What there is to know of the transport inside.
    public var notice: String? { inner.notice }

    /// Why the file is no longer written, if it is not: the disk is full, say.
    public var failure: TransportError? { file.failure }

    /// Opens the transport inside.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        // Here and not after opening: packets may pass before `open` returns.
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

    /// Notes the packets and passes them on.
    public func send(_ packets: [[UInt8]]) {
        inner.send(packets)
        guard state.withLock({ $0.executor != nil }) else { return }
        for packet in packets { note(sent: packet) }
        flushAtTurnEnd()
    }

    /// Closes the transport inside.
    public func close() {
        inner.close()
    }

    /// Watches the transport inside.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        inner.watch(on: executor, returned: returned)
    }

    private func note(sent packet: [UInt8]) {
        file.append(packet[...], .sent)
        // From here on the host looks for the answer (Vol 4, Part A, 4), and so does the file.
        guard inner.losesBytes, packet == Self.reset else { return }
        state.withLock { $0.deframer.resynchronise() }
    }

    private func note(_ event: TransportEvent) {
        switch event {
        case .received(let bytes):
            state.withLock { note(bytes, &$0.deframer) }
            flushAtTurnEnd()
        case .closed:
            forgetConnection()
            file.flush()
        }
    }

    private func note(_ bytes: ArraySlice<UInt8>, _ deframer: inout H4Deframer) {
        deframer.append(bytes)
        do throws(H4FramingError) {
            while let packet = try deframer.nextRaw() { file.append(packet, .received) }
        } catch {
            // No packets can be told apart any more, but what came can still be seen.
            file.append(bytes, .received)
        }
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
            file.flush()
        }
    }
}
