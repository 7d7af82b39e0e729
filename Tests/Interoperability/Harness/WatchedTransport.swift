// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import Synchronization

/// A transport that counts its packets, so that a test can compare the count with a trace, and
/// fails at the packet that a test chooses. It can be opened again afterward.
final class WatchedTransport: HCITransport {
    private struct State {
        var isOpen = false
        var deframer = H4Deframer()
        var count = 0
        var end: Int?
        var brokenAt: ContinuousClock.Instant?

        /// Returns whether the transport fails at this packet.
        mutating func reachesEnd() -> Bool {
            guard let end, isOpen, count >= end else { return false }
            self.end = nil
            brokenAt = .now
            return true
        }
    }

    private let inner: any HCITransport
    private let state = Mutex(State())

    init(wrapping inner: any HCITransport) {
        self.inner = inner
    }

    /// The number of whole packets that passed, in both directions.
    var count: Int { state.withLock { $0.count } }

    /// The time of the transport's last failure.
    var brokenAt: ContinuousClock.Instant? { state.withLock { $0.brokenAt } }

    /// Fails once, after this many more packets.
    func breakOff(after packets: Int) {
        state.withLock {
            $0.end = $0.count + packets
            $0.brokenAt = nil
        }
    }

    var name: String { inner.name }

    var losesBytes: Bool { inner.losesBytes }

    var longestPacket: Int? { inner.longestPacket }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        state.withLock { $0.isOpen = true }
        do {
            try await inner.open(on: executor) { [self] event in
                let breaks = note(event)
                receive(event)
                if breaks { inner.close() }
            }
        } catch {
            state.withLock { $0.isOpen = false }
            throw error
        }
    }

    func send(_ packets: [[UInt8]]) {
        inner.send(packets)
        let breaks = state.withLock { state in
            if state.isOpen { state.count += packets.count }
            return state.reachesEnd()
        }
        if breaks { inner.close() }
    }

    func close() {
        inner.close()
    }

    /// Counts the packets that arrived. Returns whether to fail now.
    private func note(_ event: TransportEvent) -> Bool {
        state.withLock { state in
            switch event {
            case .received(let bytes):
                state.deframer.append(bytes)
                while (try? state.deframer.nextRaw()) != nil { state.count += 1 }
                return state.reachesEnd()
            case .closed:
                state.isOpen = false
                state.deframer = H4Deframer()
                return false
            }
        }
    }
}
