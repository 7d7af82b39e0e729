// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Dispatch
import HCITransports

/// A trigger that calls a closure on a dispatch queue after any thread has called `fire()`.
///
/// The calls come one at a time, even on a concurrent queue.
///
/// - Note: Sendable though `handler` is not: it is only called on `serial`.
package final class QueueTrigger: StreamTrigger, @unchecked Sendable {
    private struct State {
        /// Whether `fire()` was called and the closure was not called since.
        var isPending = false
        var hasEnded = false
    }

    /// A serial queue that runs its blocks on the application's queue.
    private let serial: DispatchQueue
    private let state = Lock(State())
    private let outsideWork: (any OutsideWork)?
    private let handler: () -> Void

    /// Creates a trigger that calls `handler` on a queue.
    ///
    /// - Parameter outsideWork: The object that is informed when the trigger fires, and again when
    ///   the call is over or skipped. Virtual time stops in between.
    package init(
        on queue: DispatchQueue,
        outsideWork: (any OutsideWork)? = nil,
        handler: @escaping () -> Void
    ) {
        serial = DispatchQueue(label: "CoreBluetooth.stream", target: queue)
        self.outsideWork = outsideWork
        self.handler = handler
    }

    /// Requests a call of the closure. Any number of requests before the call cause one call.
    package func fire() {
        let isNew = state.withLock { state in
            guard !state.isPending, !state.hasEnded else { return false }
            state.isPending = true
            return true
        }
        guard isNew else { return }
        outsideWork?.beginOutsideWork()
        serial.async { self.callHandler() }
    }

    /// Ends the calls. A requested call does not take place.
    package func end() {
        state.withLock { $0.hasEnded = true }
    }

    private func callHandler() {
        let isRequested = state.withLock { state in
            state.isPending = false
            return !state.hasEnded
        }
        if isRequested { handler() }
        outsideWork?.endOutsideWork()
    }
}
