// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Virtual time: the events that are due, and the current time.
///
/// Time jumps to the next event when that event is taken. While an event is handled, only `pass`
/// advances the time. Events of one instant are taken in the order in which they were scheduled,
/// including events that were scheduled during that instant. A chain of events that never leaves an
/// instant would prevent any advance of time. Therefore, after `instantLimit` events of one
/// instant, the timeline is *stalled* and returns no more events.
package struct EventTimeline<Event: Sendable>: Sendable {
    /// The default for `instantLimit`.
    package static var defaultInstantLimit: Int { 1_000_000 }

    /// The maximum number of events of one instant.
    package let instantLimit: Int

    /// The current time.
    package private(set) var now = Instant.zero

    /// The number of events that were refused because too many waited, which is a sign of a runaway
    /// simulation.
    package private(set) var refusedCount = 0

    private var heap: EventHeap<Event>
    /// The end of the current run.
    private var runEnd = Instant.zero
    private var takenAtThisInstant = 0

    /// Creates a timeline at instant zero without events.
    package init(
        eventLimit: Int = EventHeap<Event>.defaultEventLimit,
        instantLimit: Int = Self.defaultInstantLimit
    ) {
        heap = EventHeap(eventLimit: eventLimit)
        self.instantLimit = instantLimit
    }

    /// The number of events that are scheduled.
    package var eventCount: Int { heap.count }

    /// The instant of the next event; `nil` if there is none.
    package var nextInstant: Instant? { heap.firstInstant }

    /// Whether the current instant has had `instantLimit` events and more are due in it.
    package var isStalled: Bool {
        takenAtThisInstant >= instantLimit && heap.firstInstant == now
    }

    /// Schedules the event for the instant, or for now if the instant is past.
    ///
    /// - Returns: The token that cancels the event; `nil` if too many events wait already, which
    ///   `refusedCount` counts.
    @discardableResult
    package mutating func schedule(_ event: Event, at instant: Instant) -> EventToken? {
        let token = heap.insert(event, at: max(now, instant))
        if token == nil { refusedCount += 1 }
        return token
    }

    /// Cancels and returns the event; `nil` if it was taken or canceled before.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        heap.cancel(token)
    }

    /// Cancels all events that satisfy the predicate. Checks every event that is scheduled.
    package mutating func cancelAll(where isUnwanted: (Event) -> Bool) {
        heap.cancelAll(where: isUnwanted)
    }

    /// Takes the next event that is due at `end` or before, and advances the time to it.
    ///
    /// - Returns: The event; `nil`, without an advance, if there is none or the timeline is
    ///   stalled.
    package mutating func next(through end: Instant) -> Event? {
        runEnd = end
        guard let due = heap.firstInstant, due <= end, !isStalled else { return nil }
        guard let (instant, event) = heap.takeFirst() else { return nil }
        takenAtThisInstant = instant == now ? takenAtThisInstant + 1 : 1
        now = instant
        return event
    }

    /// Advances the time to an instant, while an event is handled, if no event is due at this
    /// instant or before and the current run lasts that long. Until then only the event that is
    /// being handled can change anything, so it may continue in place.
    ///
    /// - Returns: Whether the time was advanced.
    package mutating func pass(to instant: Instant) -> Bool {
        guard canPass(to: instant) else { return false }
        now = instant
        takenAtThisInstant = 0
        return true
    }

    /// Returns whether `pass` would advance the time to the instant. If so, it would also advance
    /// the time to each earlier instant.
    package func canPass(to instant: Instant) -> Bool {
        guard instant <= runEnd, instant > now else { return false }
        if let due = heap.firstInstant, due <= instant { return false }
        return true
    }

    /// Moves the current time forward to the instant, but not past an event that is due. Never
    /// moves it back.
    package mutating func advance(to instant: Instant) {
        let reachable = min(instant, heap.firstInstant ?? instant)
        guard reachable > now else { return }
        now = reachable
        takenAtThisInstant = 0
    }
}
