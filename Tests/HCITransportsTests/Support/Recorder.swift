// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization

/// A recorder of a transport's events, which lets a test wait for a state of the record.
final class Recorder: Sendable {
    struct Log: Sendable {
        var bytes: [UInt8] = []
        var pieces: [Int] = []
        /// The error of each `.closed`.
        var closings: [TransportError?] = []
        var bytesAfterClosing = 0
    }

    private struct State {
        var log = Log()
        var waiters: [(isMet: @Sendable (Log) -> Bool, CheckedContinuation<Log, Never>)] = []
    }

    private let state = Mutex(State())

    /// The closure for `open`.
    var receive: @Sendable (TransportEvent) -> Void {
        { [self] event in record(event) }
    }

    var log: Log { state.withLock { $0.log } }

    private func record(_ event: TransportEvent) {
        let (met, log) = state.withLock { state in
            switch event {
            case .received(let bytes):
                state.log.bytes += bytes
                state.log.pieces.append(bytes.count)
                if !state.log.closings.isEmpty { state.log.bytesAfterClosing += bytes.count }
            case .closed(let error): state.log.closings.append(error)
            }
            let log = state.log
            let met = state.waiters.filter { $0.isMet(log) }
            state.waiters.removeAll { $0.isMet(log) }
            return (met, log)
        }
        for waiter in met { waiter.1.resume(returning: log) }
    }

    /// Waits until the record fulfills `isMet`.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (Log) -> Bool) async -> Log {
        await withCheckedContinuation { continuation in
            let log: Log? = state.withLock { state in
                if isMet(state.log) { return state.log }
                state.waiters.append((isMet, continuation))
                return nil
            }
            if let log { continuation.resume(returning: log) }
        }
    }

    func waitForClosing() async -> Log {
        await wait { !$0.closings.isEmpty }
    }
}
