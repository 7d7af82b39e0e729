// SPDX-License-Identifier: Apache-2.0

/// The receiver of the packets of a ``TracingTransport``.
protocol TraceSink: Sendable {
    /// The error that stopped the log; `nil` if the log continues.
    var failure: TransportError? { get }

    /// Adds a packet with the current time.
    func append(_ packet: ArraySlice<UInt8>, _ direction: Btsnoop.Direction)

    /// Writes the packets that wait.
    func flush()
}

extension TraceFile: TraceSink {}

/// A sink that passes every packet on immediately, with zeros in place of keys.
final class TraceObserver: TraceSink {
    private let redaction = Lock(KeyRedaction())
    private let receive: @Sendable (Btsnoop.Record) -> Void

    /// Creates a sink. Its `receive` is called with each packet, on the executor's thread.
    init(_ receive: @escaping @Sendable (Btsnoop.Record) -> Void) {
        self.receive = receive
    }

    var failure: TransportError? { nil }

    func append(_ packet: ArraySlice<UInt8>, _ direction: Btsnoop.Direction) {
        receive(
            Btsnoop.Record(
                microsecondsSince1970: SystemClock.nanosecondsSince1970 / 1_000,
                direction: direction,
                packet: redaction.withLock { $0.blank(packet, direction) }
            )
        )
    }

    func flush() {}
}
