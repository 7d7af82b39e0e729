// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HCITransports
import Synchronization

/// The way of events from the adapter's thread to a manager's queue: the fifth station.
///
/// One event after another, in the order in which they were posted, even if the application's queue is
/// a concurrent one: what runs is a serial queue that targets it. Many events make one hop: those that
/// are posted while the queue is on its way, or busy, are taken along.
final class Delivery<Event: Sendable>: Sendable {
    /// How many events may wait for a queue that is busy. One more that can be done without is dropped.
    static var pendingLimit: Int { 65_536 }

    private struct Inbox {
        var events: [Event] = []
        var isScheduled = false
        var droppedCount = 0
    }

    private let inbox = Mutex(Inbox())
    private let queue: DispatchQueue
    private let receive: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - target: the application's queue; nil for the main queue.
    ///   - receive: called on the queue with each event.
    init(on target: DispatchQueue?, _ receive: @escaping @Sendable (Event) -> Void) {
        queue = DispatchQueue(label: "CoreBluetooth.delivery", target: target ?? .main)
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
        let (isTaken, mustSchedule) = inbox.withLock { inbox in
            guard !isDispensable || inbox.events.count < Self.pendingLimit else {
                inbox.droppedCount += 1
                return (false, false)
            }
            inbox.events.append(event)
            defer { inbox.isScheduled = true }
            return (true, !inbox.isScheduled)
        }
        guard mustSchedule else { return isTaken }
        executor?.beginOutsideWork()
        queue.async { [self] in
            deliver()
            executor?.endOutsideWork()
        }
        return isTaken
    }

    private func deliver() {
        while true {
            let events = inbox.withLock { inbox in
                defer { inbox.events = [] }
                inbox.isScheduled = !inbox.events.isEmpty
                return inbox.events
            }
            guard !events.isEmpty else { return }
            for event in events { receive(event) }
        }
    }
}
