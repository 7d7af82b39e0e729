// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The identity of one scheduled event, which cancels that event and no other.
package struct EventToken: Hashable, Sendable {
    fileprivate let slot: Int
    fileprivate let sequence: UInt64
}

/// The scheduled events: a binary heap ordered by (instant, order of insertion).
///
/// Inserting, canceling and taking are O(log n). Looking at the first event is O(1). A canceled
/// event leaves the heap at once, so `count` is the number of events that wait. Each event has a
/// *slot* that records its place in the heap. Slots are reused, and the sequence number in a token
/// shows whether the slot still holds the event of the token. Events stay in their slots. Only
/// small, trivial entries move in the heap.
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

    /// The maximum number of events that can wait at one time.
    package let eventLimit: Int

    private var entries: [Entry] = []
    /// The event that waits outside of the heap, at `placeOfNext`.
    private var next: Entry?
    /// For each slot, the place of its entry in the heap; `freePlace` if the slot is free.
    private var places: [Int] = []
    /// For each slot, its event.
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextSequence: UInt64 = 0
    private static var freePlace: Int { -1 }
    private static var placeOfNext: Int { -2 }

    /// Creates an empty heap for at most `eventLimit` events.
    package init(eventLimit: Int = Self.defaultEventLimit) {
        self.eventLimit = eventLimit
    }

    /// The number of events that wait.
    package var count: Int { entries.count + (next == nil ? 0 : 1) }

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
        let slot = takeSlot()
        events[slot] = event
        let entry = Entry(instant: instant, sequence: nextSequence, slot: slot)
        nextSequence += 1
        if let next, !entry.precedes(next) {
            push(entry)
        } else {
            if let next { push(next) }
            next = entry
            places[slot] = Self.placeOfNext
        }
        return EventToken(slot: slot, sequence: entry.sequence)
    }

    /// Removes the event before its time.
    ///
    /// - Returns: The event; `nil` if it no longer waits.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        guard places.indices.contains(token.slot) else { return nil }
        let place = places[token.slot]
        if place == Self.placeOfNext {
            return next?.sequence == token.sequence ? removeNext() : nil
        }
        guard place >= 0, entries[place].sequence == token.sequence else { return nil }
        return remove(at: place)
    }

    /// Removes and returns the first event; `nil` if no event waits.
    package mutating func takeFirst() -> (instant: Instant, event: Event)? {
        guard let first = entries.first else {
            return next.flatMap { next in removeNext().map { (next.instant, $0) } }
        }
        if let next, next.precedes(first) { return removeNext().map { (next.instant, $0) } }
        return remove(at: 0).map { (first.instant, $0) }
    }

    /// Removes all events that satisfy the predicate. Checks every event that waits.
    package mutating func cancelAll(where isUnwanted: (Event) -> Bool) {
        var unwanted = entries
        if let next { unwanted.append(next) }
        unwanted.removeAll { !(events[$0.slot].map(isUnwanted) ?? false) }
        for entry in unwanted { cancel(EventToken(slot: entry.slot, sequence: entry.sequence)) }
    }

    private mutating func takeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        places.append(Self.freePlace)
        events.append(nil)
        return places.count - 1
    }

    private mutating func removeNext() -> Event? {
        guard let slot = next?.slot else { return nil }
        next = nil
        return free(slot)
    }

    private mutating func free(_ slot: Int) -> Event? {
        places[slot] = Self.freePlace
        freeSlots.append(slot)
        return events[slot].take()
    }

    private mutating func push(_ entry: Entry) {
        entries.append(entry)
        moveUp(entry, to: entries.count - 1)
    }

    private mutating func remove(at place: Int) -> Event? {
        let slot = entries[place].slot
        let last = entries.removeLast()
        if place < entries.count {
            if place > 0, last.precedes(entries[(place - 1) / 2]) {
                moveUp(last, to: place)
            } else {
                moveDown(last, to: place)
            }
        }
        return free(slot)
    }

    /// Puts the entry at the place, or further up if it precedes the entries there.
    private mutating func moveUp(_ entry: Entry, to start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.precedes(entries[parent]) else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    /// Puts the entry at the place, or further down if entries there precede it.
    private mutating func moveDown(_ entry: Entry, to start: Int) {
        var place = start
        while let child = smallerChild(of: place), entries[child].precedes(entry) {
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private func smallerChild(of place: Int) -> Int? {
        let left = 2 * place + 1
        guard left < entries.count else { return nil }
        let right = left + 1
        guard right < entries.count, entries[right].precedes(entries[left]) else { return left }
        return right
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        places[entry.slot] = place
    }
}
