// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import Synchronization

/// Counts the packets that pass a transport, independently of the trace that is judged by it.
final class CountingTransport: HCITransport {
    private struct State {
        var isOpen = false
        var deframer = H4Deframer()
        var count = 0
    }

    private let inner: any HCITransport
    private let state = Mutex(State())

    init(wrapping inner: any HCITransport) {
        self.inner = inner
    }

    /// How many whole packets passed, in both directions.
    var count: Int { state.withLock { $0.count } }

    var name: String { inner.name }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        state.withLock { $0.isOpen = true }
        do {
            try await inner.open(on: executor) { [self] event in
                note(event)
                receive(event)
            }
        } catch {
            state.withLock { $0.isOpen = false }
            throw error
        }
    }

    func send(_ packets: [[UInt8]]) {
        inner.send(packets)
        state.withLock { if $0.isOpen { $0.count += packets.count } }
    }

    func close() {
        inner.close()
    }

    private func note(_ event: TransportEvent) {
        state.withLock { state in
            switch event {
            case .received(let bytes):
                state.deframer.append(bytes)
                while (try? state.deframer.nextRaw()) != nil { state.count += 1 }
            case .closed:
                state.isOpen = false
                state.deframer = H4Deframer()
            }
        }
    }
}
