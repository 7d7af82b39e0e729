// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import HCITransports
import Synchronization

/// A wrapper of a transport that passes every packet to an observer, with zeros in place of keys.
final class ObservedTransport: HCITransport {
    private struct State {
        var deframer = H4Deframer()
        var redaction = KeyRedaction()
    }

    private let inner: any HCITransport
    private let observer: @Sendable (Btsnoop.Record) -> Void
    private let state = Mutex(State())

    /// - Parameter observer: Receives the packets on the executor's thread.
    init(
        _ inner: any HCITransport,
        observer: @escaping @Sendable (Btsnoop.Record) -> Void
    ) {
        self.inner = inner
        self.observer = observer
    }

    var name: String { inner.name }
    var losesBytes: Bool { inner.losesBytes }
    var longestPacket: Int? { inner.longestPacket }
    var notice: String? { inner.notice }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        state.withLock { $0.deframer.reset() }
        try await inner.open(on: executor) { [self] event in
            if case .received(let bytes) = event { note(bytes) }
            receive(event)
        }
    }

    func send(_ packets: [[UInt8]]) {
        inner.send(packets)
        for packet in packets { note(packet[...], .sent) }
    }

    func close() {
        inner.close()
    }

    func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        inner.watch(on: executor, returned: returned)
    }

    private func note(_ bytes: ArraySlice<UInt8>) {
        let packets = state.withLock { state -> [ArraySlice<UInt8>] in
            state.deframer.append(bytes)
            var packets: [ArraySlice<UInt8>] = []
            do throws(H4FramingError) {
                while let packet = try state.deframer.nextRaw() { packets.append(packet) }
            } catch {
                // Noise of a serial line: the host finds the packets again, and so does this.
                state.deframer.resynchronize()
            }
            return packets
        }
        for packet in packets { note(packet, .received) }
    }

    private func note(_ packet: ArraySlice<UInt8>, _ direction: Btsnoop.Direction) {
        let blanked = state.withLock { $0.redaction.blank(packet, direction) }
        observer(
            Btsnoop.Record(
                microsecondsSince1970: SystemClock.nanosecondsSince1970 / 1_000,
                direction: direction,
                packet: blanked
            )
        )
    }
}
