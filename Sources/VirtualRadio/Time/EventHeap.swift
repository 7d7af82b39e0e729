// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The identity of one scheduled event, which cancels that event and no other.
package struct EventToken: Hashable, Sendable {
    fileprivate let slot: Int
    fileprivate let sequence: UInt64
}

/// The scheduled events: a heap ordered by (instant, order of insertion), in which each entry has
/// up to four children.
///
/// Inserting, canceling and taking are O(log n), amortized. Looking at the first event is O(1).
/// Each event has a *slot*. Slots are reused, and the sequence number in an entry or a token shows
/// whether the slot still holds its event. Events stay in their slots. Only small, trivial entries
/// move in the heap.
///
/// A canceled event leaves its slot at once, so `count` is the number of events that wait. Its
/// entry stays in the heap until it is the first, or until most entries belong to canceled events.
/// The first entry never belongs to a canceled event.
///
/// Many events, such as the end of a packet, are due before all events in the heap. So one event,
/// the *next*, waits outside of the heap. It enters the heap only if an earlier event is inserted.
package struct EventHeap<Event: Sendable>: Sendable {
    private struct Entry: Sendable {
        let instant: Instant
        let sequence: UInt64
        let slot: Int

        func precedes(_ other: Entry) -> Bool {
            instant != other.instant ? instant < other.instant : sequence < other.sequence
        }
    }

    /// The default for `eventLimit`: about a thousand events for each of a thousand devices.
    package static var defaultEventLimit: Int { 1 << 20 }

    /// The number of children of an entry. Four neighbors share few lines of the processor's cache,
    /// and the heap is half as deep as one with two.
    private static var width: Int { 4 }

    /// The number of entries of canceled events that the heap may always have.
    private static var canceledLimit: Int { 64 }

    /// The maximum number of events that can wait at one time.
    package let eventLimit: Int

    private var entries: [Entry] = []
    /// The event that waits outside of the heap.
    private var next: Entry?
    /// For each slot, the sequence number of its event; `noSequence` if the slot is free.
    private var sequences: [UInt64] = []
    /// For each slot, its event.
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextSequence: UInt64 = 0
    /// The number of entries of canceled events.
    private var canceledCount = 0
    private static var noSequence: UInt64 { .max }

    /// Creates an empty heap for at most `eventLimit` events.
    package init(eventLimit: Int = Self.defaultEventLimit) {
        self.eventLimit = eventLimit
    }

    /// The number of events that wait.
    package var count: Int { entries.count - canceledCount + (next == nil ? 0 : 1) }

    /// The instant of the first event; `nil` if no event waits.
    package var firstInstant: Instant? {
        guard let next else { return entries.first?.instant }
        guard let first = entries.first else { return next.instant }
        return min(first.instant, next.instant)
    }

    /// Inserts the event, due at the instant.
    ///
    /// - Returns: The token that cancels the event; `nil` if `eventLimit` events already wait.
    package mutating func insert(_ event: Event, at instant: Instant) -> EventToken? {
        guard count < eventLimit else { return nil }
        let entry = Entry(instant: instant, sequence: nextSequence, slot: takeSlot())
        nextSequence += 1
        events[entry.slot] = event
        sequences[entry.slot] = entry.sequence
        if let next, !entry.precedes(next) {
            push(entry)
        } else {
            if let next { push(next) }
            next = entry
        }
        return EventToken(slot: entry.slot, sequence: entry.sequence)
    }

    /// Removes the event before its time.
    ///
    /// - Returns: The event; `nil` if it no longer waits.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        guard sequences.indices.contains(token.slot), sequences[token.slot] == token.sequence else {
            return nil
        }
        if next?.sequence == token.sequence {
            next = nil
        } else {
            canceledCount += 1
        }
        defer { removeCanceledEntries() }
        return free(token.slot)
    }

    /// Removes and returns the first event; `nil` if no event waits.
    package mutating func takeFirst() -> (instant: Instant, event: Event)? {
        let first: Entry
        if let next, entries.first.map(next.precedes) ?? true {
            first = next
            self.next = nil
        } else if let top = entries.first {
            first = top
            removeTop()
            removeCanceledEntries()
        } else {
            return nil
        }
        return free(first.slot).map { (first.instant, $0) }
    }

    /// Removes all events that satisfy the predicate. Checks every event that waits.
    package mutating func cancelAll(where isUnwanted: (Event) -> Bool) {
        for slot in events.indices where events[slot].map(isUnwanted) ?? false {
            cancel(EventToken(slot: slot, sequence: sequences[slot]))
        }
    }

    private mutating func takeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        sequences.append(Self.noSequence)
        events.append(nil)
        return events.count - 1
    }

    private mutating func free(_ slot: Int) -> Event? {
        sequences[slot] = Self.noSequence
        freeSlots.append(slot)
        return events[slot].take()
    }

    private func isCanceled(_ entry: Entry) -> Bool { sequences[entry.slot] != entry.sequence }

    /// Ensures that the first entry belongs to an event that waits, and that the heap does not grow
    /// with canceled events.
    private mutating func removeCanceledEntries() {
        while canceledCount > 0, let first = entries.first, isCanceled(first) {
            canceledCount -= 1
            removeTop()
        }
        guard canceledCount > max(Self.canceledLimit, entries.count / 2) else { return }
        canceledCount = 0
        // An ascending order is a heap.
        entries = entries.filter { !isCanceled($0) }.sorted { $0.precedes($1) }
    }

    /// Adds the entry at the end, and moves it up as far as it precedes the entries above it.
    private mutating func push(_ entry: Entry) {
        var place = entries.count
        entries.append(entry)
        while place > 0 {
            let parent = (place - 1) / Self.width
            guard entry.precedes(entries[parent]) else { break }
            entries[place] = entries[parent]
            place = parent
        }
        entries[place] = entry
    }

    /// Removes the first entry. The last entry takes its place, and moves down as far as entries
    /// below precede it.
    private mutating func removeTop() {
        let entry = entries.removeLast()
        guard !entries.isEmpty else { return }
        var place = 0
        while let child = firstChild(of: place), entries[child].precedes(entry) {
            entries[place] = entries[child]
            place = child
        }
        entries[place] = entry
    }

    /// Returns the place of the child that precedes the others; `nil` if there is none.
    private func firstChild(of place: Int) -> Int? {
        var child = Self.width * place + 1
        guard child < entries.count else { return nil }
        for other in child + 1..<min(child + Self.width, entries.count)
        where entries[other].precedes(entries[child]) {
            child = other
        }
        return child
    }
}
