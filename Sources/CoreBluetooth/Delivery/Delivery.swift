// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HCITransports
import Synchronization

/// The way of events from the adapter's thread to a manager's queue.
///
/// One event after another, in the order in which they were posted, even if the application's queue is
/// a concurrent one: what runs is a serial queue that targets it. Many events make one hop: those that
/// are posted while the queue is on its way, or busy, are taken along.
///
/// An application that does not get on has events wait. What peers can cause by themselves (sightings,
/// notifications, news of their services) waits up to a limit, and is dropped beyond it, with one line
/// in the log. The rest is what the application's own commands come to, and as bounded as they are.
final class Delivery<Event: Sendable>: Sendable {
    /// How many events may wait for a queue that is busy. One more that can be done without is dropped.
    static var pendingLimit: Int { 65_536 }
    /// How many events are received in one turn of the queue: then its other work has its own.
    static var turnLimit: Int { 1_024 }

    private struct Inbox {
        var events: [Event] = []
        /// What was in `events` before, and how much of it was taken since.
        var leaving: [Event] = []
        var takenCount = 0
        var isScheduled = false
        /// Whether events are being dropped, which is said once.
        var isOverflowing = false

        var count: Int { events.count + leaving.count - takenCount }

        /// The next events, up to a limit. None are moved for that.
        mutating func take(_ limit: Int) -> ArraySlice<Event> {
            if takenCount == leaving.count {
                (leaving, events) = (events, [])
                takenCount = 0
            }
            let start = takenCount
            takenCount = min(start + limit, leaving.count)
            return leaving[start..<takenCount]
        }
    }

    /// What becomes of an event.
    private enum Fate {
        case waits(mustSchedule: Bool)
        case dropped(isFirst: Bool)
    }

    private let inbox = Mutex(Inbox())
    /// The application's.
    private let target: DispatchQueue
    private let queue: DispatchQueue
    private let receive: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - target: the application's queue; nil for the main queue.
    ///   - receive: called on the queue with each event.
    init(on target: DispatchQueue?, _ receive: @escaping @Sendable (Event) -> Void) {
        self.target = target ?? .main
        queue = DispatchQueue(label: "CoreBluetooth.delivery", target: self.target)
        self.receive = receive
    }

    /// Posts an event; `executor` is where it comes from, and has time stand still until it is received,
    /// if its time is virtual.
    ///
    /// - Parameter isDispensable: whether it may be dropped if too many wait.
    /// - Returns: False if it was dropped.
    @discardableResult
    func post(
        _ event: Event,
        from executor: (any HostExecutor)?,
        isDispensable: Bool = false
    ) -> Bool {
        switch inbox.withLock({ Self.admit(event, to: &$0, isDispensable) }) {
        case .dropped(let isFirst):
            if isFirst {
                Misuse.warn(
                    "events are dropped: \(Self.pendingLimit) wait for a queue that is busy"
                )
            }
            return false
        case .waits(let mustSchedule):
            if mustSchedule { schedule(for: executor) }
            return true
        }
    }

    private static func admit(
        _ event: Event,
        to inbox: inout Inbox,
        _ isDispensable: Bool
    ) -> Fate {
        if isDispensable, inbox.count >= pendingLimit {
            defer { inbox.isOverflowing = true }
            return .dropped(isFirst: !inbox.isOverflowing)
        }
        inbox.events.append(event)
        defer { inbox.isScheduled = true }
        return .waits(mustSchedule: !inbox.isScheduled)
    }

    private func schedule(for executor: (any HostExecutor)?) {
        executor?.beginOutsideWork()
        enqueue(for: executor)
    }

    private func enqueue(for executor: (any HostExecutor)?) {
        queue.async { [self] in
            guard deliver(for: executor) else {
                executor?.endOutsideWork()
                return
            }
            // By way of the application's queue, behind what waits there: our own would go first.
            target.async { self.enqueue(for: executor) }
        }
    }

    /// Has events received; whether more are waiting.
    private func deliver() -> Bool {
        var count = 0
        while count < Self.turnLimit {
            let events = take()
            guard !events.isEmpty else { return false }
            for event in events { receive(event) }
            count += events.count
        }
        return true
    }

    /// The same, as the work of an executor that wants to know of it.
    private func deliver(for executor: (any HostExecutor)?) -> Bool {
        guard let executor else { return deliver() }
        var isUnfinished = false
        executor.performOutsideWork { isUnfinished = deliver() }
        return isUnfinished
    }

    private func take() -> ArraySlice<Event> {
        inbox.withLock { inbox in
            let events = inbox.take(Self.turnLimit)
            inbox.isScheduled = !events.isEmpty
            if inbox.count == 0 { inbox.isOverflowing = false }
            return events
        }
    }
}
