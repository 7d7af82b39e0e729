// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HCITransports
import Synchronization

/// The way of events from the adapter's thread to a manager's queue.
///
/// Each event has a turn of the application's queue for itself, behind what was there when it was posted: an
/// application that puts work on its queue, and then causes an event, has the work done first. One event is
/// received after another, in the order in which they were posted, even if the queue is a concurrent one:
/// a turn that comes while another is receiving leaves its event to that.
///
/// An application that does not get on has events wait. What peers can cause by themselves (sightings,
/// notifications, news of their services) waits up to a limit, and is dropped beyond it, with one line
/// in the log. The rest is what the application's own commands come to, and as bounded as they are.
final class Delivery<Event: Sendable>: Sendable {
    /// How many events may wait for a queue that is busy. One more that can be done without is dropped.
    static var pendingLimit: Int { 65_536 }

    private struct Inbox {
        private var events: [Event] = []
        /// What was in `events` before, the next one last. What is taken does not stay here: some events
        /// are all that holds a channel open.
        private var leaving: [Event] = []
        /// The turns that have come, and whose events have not been taken yet.
        private var turns = 0
        private var isReceiving = false
        /// Whether events are being dropped, which is said once.
        private var isOverflowing = false

        private var count: Int { events.count + leaving.count }

        mutating func admit(_ event: Event, _ isDispensable: Bool) -> Fate {
            if isDispensable, count >= pendingLimit {
                defer { isOverflowing = true }
                return .dropped(isFirst: !isOverflowing)
            }
            events.append(event)
            return .waits
        }

        /// A turn has come; false if another one is receiving, and will take the event of this one, too.
        mutating func beginTurn() -> Bool {
            turns += 1
            guard !isReceiving else { return false }
            isReceiving = true
            return true
        }

        /// The next event whose turn has come; nil, and an end of receiving, if there is none.
        mutating func take() -> Event? {
            guard turns > 0 else {
                isReceiving = false
                return nil
            }
            turns -= 1
            if leaving.isEmpty { (leaving, events) = (events.reversed(), []) }
            defer { if count == 0 { isOverflowing = false } }
            return leaving.popLast()
        }
    }

    /// What becomes of an event.
    private enum Fate {
        case waits
        case dropped(isFirst: Bool)
    }

    private let inbox = Mutex(Inbox())
    private let queue: DispatchQueue
    private let receive: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - queue: the application's queue; nil for the main queue.
    ///   - receive: called on the queue with each event.
    init(on queue: DispatchQueue?, _ receive: @escaping @Sendable (Event) -> Void) {
        self.queue = queue ?? .main
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
        switch inbox.withLock({ $0.admit(event, isDispensable) }) {
        case .dropped(let isFirst):
            if isFirst {
                Misuse.warn(
                    "events are dropped: \(Self.pendingLimit) wait for a queue that is busy"
                )
            }
            return false
        case .waits:
            awaitTurn(for: executor)
            return true
        }
    }

    private func awaitTurn(for executor: (any HostExecutor)?) {
        guard let executor else { return queue.async { self.takeTurn() } }
        executor.beginOutsideWork()
        queue.async {
            executor.performOutsideWork { self.takeTurn() }
            executor.endOutsideWork()
        }
    }

    private func takeTurn() {
        guard inbox.withLock({ $0.beginTurn() }) else { return }
        while let event = inbox.withLock({ $0.take() }) { receive(event) }
    }
}
