// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Virtual time: what is due when, and what time it is.
///
/// Time stands still while an event is handled, and jumps to the next event when that is taken.
/// Events of one instant are taken in the order in which they were scheduled, also those that were
/// scheduled during that instant. A chain of events that never leaves an instant would stop time
/// for ever; after `instantLimit` events of one instant the timeline is *stalled* and hands out
/// no more.
package struct Timeline<Event: Sendable>: Sendable {
    /// How many events one instant may have, in a timeline that is not told otherwise.
    package static var defaultInstantLimit: Int { 1_000_000 }

    /// How many events one instant may have.
    package let instantLimit: Int

    /// The present.
    package private(set) var now = Instant.zero

    /// How many events were refused because too many waited: a sign of a runaway simulation.
    package private(set) var refusedCount = 0

    private var heap: EventHeap<Event>
    private var takenAtThisInstant = 0

    /// Makes a timeline at instant zero on which nothing is due.
    package init(
        eventLimit: Int = EventHeap<Event>.defaultEventLimit,
        instantLimit: Int = Self.defaultInstantLimit
    ) {
        heap = EventHeap(eventLimit: eventLimit)
        self.instantLimit = instantLimit
    }

    /// How many events are due, sooner or later.
    package var eventCount: Int { heap.count }

    /// When the next event is due; nil if none is.
    package var nextInstant: Instant? { heap.firstInstant }

    /// Whether the present instant has had all the events that it may have, and more are due in it.
    package var isStalled: Bool {
        takenAtThisInstant >= instantLimit && heap.firstInstant == now
    }

    /// Makes the event due at the instant, or now if the instant is past. Nil, and counted in
    /// `refusedCount`, if too many events wait already.
    @discardableResult
    package mutating func schedule(_ event: Event, at instant: Instant) -> EventToken? {
        let token = heap.insert(event, at: max(now, instant))
        if token == nil { refusedCount += 1 }
        return token
    }

    /// Makes the event due when `delay` has passed; see `schedule(_:at:)`.
    @discardableResult
    package mutating func schedule(_ event: Event, after delay: Duration) -> EventToken? {
        schedule(event, at: now + delay)
    }

    /// Takes the event back, and returns it; nil if it was taken or cancelled before.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        heap.cancel(token)
    }

    /// Takes all events of a kind back. Looks at every one that is due, sooner or later.
    package mutating func cancelAll(where isUnwanted: (Event) -> Bool) {
        heap.cancelAll(where: isUnwanted)
    }

    /// Takes the next event that is due at `end` or before, and moves the present to it. Nil, and
    /// the present stays, if there is none, or if the timeline is stalled.
    package mutating func next(through end: Instant) -> Event? {
        guard let due = heap.firstInstant, due <= end, !isStalled else { return nil }
        guard let (instant, event) = heap.takeFirst() else { return nil }
        takenAtThisInstant = instant == now ? takenAtThisInstant + 1 : 1
        now = instant
        return event
    }

    /// Moves the present to the instant; not past an event that is due, and never back.
    package mutating func advance(to instant: Instant) {
        let reachable = min(instant, heap.firstInstant ?? instant)
        guard reachable > now else { return }
        now = reachable
        takenAtThisInstant = 0
    }
}
