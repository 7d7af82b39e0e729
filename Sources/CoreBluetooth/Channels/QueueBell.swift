// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Dispatch
import Synchronization

/// Calls a closure on a dispatch queue after any thread has called `ring()`.
///
/// The calls come one at a time, also on a concurrent queue.
///
/// - Note: Sendable though `rung` is not: it is only called on `serial`.
final class QueueBell: StreamBell, @unchecked Sendable {
    private struct State {
        /// Whether `ring()` was called and the closure was not called since.
        var isRung = false
        var hasEnded = false
    }

    /// A serial queue that runs its blocks on the application's queue.
    private let serial: DispatchQueue
    private let state = Mutex(State())
    private let outsideWork: (any OutsideWork)?
    private let rung: () -> Void

    /// Makes a bell that calls `rung` on a queue.
    ///
    /// - Parameter outsideWork: Receives the beginning of the work when the bell is rung, and its
    ///   end after the call.
    init(
        on queue: DispatchQueue,
        outsideWork: (any OutsideWork)? = nil,
        rung: @escaping () -> Void
    ) {
        serial = DispatchQueue(label: "CoreBluetooth.stream", target: queue)
        self.outsideWork = outsideWork
        self.rung = rung
    }

    /// Requests a call of the closure. Any number of requests before the call cause one call.
    func ring() {
        let isNew = state.withLock { state in
            guard !state.isRung, !state.hasEnded else { return false }
            state.isRung = true
            return true
        }
        guard isNew else { return }
        outsideWork?.beginOutsideWork()
        serial.async { self.heard() }
    }

    /// Ends the calls. A requested call does not take place.
    func end() {
        state.withLock { $0.hasEnded = true }
    }

    private func heard() {
        let isWanted = state.withLock { state in
            state.isRung = false
            return !state.hasEnded
        }
        if isWanted { rung() }
        outsideWork?.endOutsideWork()
    }
}
