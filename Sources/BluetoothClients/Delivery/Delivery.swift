// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Dispatch
import HCITransports

/// The delivery of events from the adapter's thread to a manager's queue.
///
/// For each event, the delivery adds one block to the application's queue. On a serial queue, an
/// event therefore arrives after all work that the application enqueued before. The application
/// receives one event at a time, in the order in which they were posted. This also holds on a
/// concurrent queue: if a block runs while an earlier block is still delivering, the earlier one
/// also delivers the event of the later one.
///
/// If the application's queue is busy, events wait. Dispensable events, such as discoveries and
/// notifications, are dropped while `pendingLimit` events wait, with one line in the log. Other
/// events that peers can cause in any number, such as subscriptions, must not be dropped. The
/// adapter posts these events with a count of the waiting ones, and bounds it.
package final class Delivery<Event: Sendable>: Sendable {
    /// The number of waiting events at which dispensable events are dropped.
    static var pendingLimit: Int { 65_536 }

    private struct Waiting {
        let event: Event
        let count: LockedState<Int>?
    }

    private struct Inbox {
        private var events: [Waiting] = []
        /// The oldest events, which were in `events` before, in reverse order. A taken event does
        /// not stay in memory, because it may hold the only reference to a channel.
        private var takenEvents: [Waiting] = []
        /// The number of blocks that have run and whose events have not been taken.
        private var dueCount = 0
        private var isReceiving = false
        /// Whether events are being dropped. Only the first one is logged.
        private var isOverflowing = false

        private var count: Int { events.count + takenEvents.count }

        mutating func admit(_ waiting: Waiting, _ isDispensable: Bool) -> Admission {
            if isDispensable, count >= pendingLimit {
                defer { isOverflowing = true }
                return .dropped(isFirst: !isOverflowing)
            }
            waiting.count?.change { $0 += 1 }
            events.append(waiting)
            return .waits
        }

        /// Counts a block that runs. Returns `false` if another block is receiving, which then also
        /// takes this block's event.
        mutating func beginDelivery() -> Bool {
            dueCount += 1
            guard !isReceiving else { return false }
            isReceiving = true
            return true
        }

        /// Returns the next event whose block has run. Returns `nil`, and ends receiving, if there
        /// is none.
        mutating func take() -> Event? {
            guard dueCount > 0 else {
                isReceiving = false
                return nil
            }
            dueCount -= 1
            if takenEvents.isEmpty { (takenEvents, events) = (events.reversed(), []) }
            defer { if count == 0 { isOverflowing = false } }
            let waiting = takenEvents.popLast()
            waiting?.count?.change { $0 -= 1 }
            return waiting?.event
        }
    }

    /// The result of posting an event.
    private enum Admission {
        case waits
        case dropped(isFirst: Bool)
    }

    private let inbox = Lock(Inbox())
    private let queue: DispatchQueue
    private let receive: @Sendable (Event) -> Void

    /// Creates a delivery.
    ///
    /// - Parameters:
    ///   - queue: The application's queue; `nil` for the main queue.
    ///   - receive: Called on the queue with each event.
    package init(on queue: DispatchQueue?, _ receive: @escaping @Sendable (Event) -> Void) {
        self.queue = queue ?? .main
        self.receive = receive
    }

    /// Posts an event.
    ///
    /// - Parameters:
    ///   - executor: The source of the event. If its time is virtual, the time stops until the
    ///     event was received.
    ///   - isDispensable: Whether the event may be dropped if too many wait.
    ///   - count: A counter of waiting events, for example of one kind. It counts the event from
    ///     the posting until the application receives the event.
    /// - Returns: `false` if the event was dropped.
    @discardableResult
    package func post(
        _ event: Event,
        from executor: (any HostExecutor)?,
        isDispensable: Bool = false,
        countedBy count: LockedState<Int>? = nil
    ) -> Bool {
        let waiting = Waiting(event: event, count: count)
        switch inbox.withLock({ $0.admit(waiting, isDispensable) }) {
        case .dropped(let isFirst):
            if isFirst {
                Misuse.warn(
                    "events are dropped: \(Self.pendingLimit) wait for a queue that is busy"
                )
            }
            return false
        case .waits:
            scheduleDelivery(for: executor)
            return true
        }
    }

    private func scheduleDelivery(for executor: (any HostExecutor)?) {
        guard let executor else { return queue.async { self.deliverWaiting() } }
        executor.beginOutsideWork()
        queue.async {
            executor.performOutsideWork { self.deliverWaiting() }
            executor.endOutsideWork()
        }
    }

    private func deliverWaiting() {
        guard inbox.withLock({ $0.beginDelivery() }) else { return }
        while let event = inbox.withLock({ $0.take() }) { receive(event) }
    }
}
