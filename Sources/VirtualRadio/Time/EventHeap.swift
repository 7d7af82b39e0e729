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

    /// The largest number of events that can wait at one time.
    package let eventLimit: Int

    private var entries: [Entry] = []
    /// For each slot, the place of its entry in the heap; -1 if the slot is free.
    private var places: [Int] = []
    /// For each slot, its event.
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextSequence: UInt64 = 0

    /// Creates an empty heap for at most `eventLimit` events.
    package init(eventLimit: Int = Self.defaultEventLimit) {
        self.eventLimit = eventLimit
    }

    /// The number of events that wait.
    package var count: Int { entries.count }

    /// The instant of the first event; `nil` if no event waits.
    package var firstInstant: Instant? { entries.first?.instant }

    /// Inserts the event, due at the instant.
    ///
    /// - Returns: The token that cancels the event; `nil` if `eventLimit` events already wait.
    package mutating func insert(_ event: Event, at instant: Instant) -> EventToken? {
        guard entries.count < eventLimit else { return nil }
        let slot = takeSlot()
        let token = EventToken(slot: slot, sequence: nextSequence)
        events[slot] = event
        entries.append(Entry(instant: instant, sequence: nextSequence, slot: slot))
        nextSequence += 1
        places[slot] = entries.count - 1
        siftUp(from: entries.count - 1)
        return token
    }

    /// Removes the event before its time.
    ///
    /// - Returns: The event; `nil` if it no longer waits.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        guard places.indices.contains(token.slot) else { return nil }
        let place = places[token.slot]
        guard place >= 0, entries[place].sequence == token.sequence else { return nil }
        return remove(at: place)
    }

    /// Removes and returns the first event; `nil` if no event waits.
    package mutating func takeFirst() -> (instant: Instant, event: Event)? {
        guard let instant = firstInstant, let event = remove(at: 0) else { return nil }
        return (instant, event)
    }

    /// Removes all events that satisfy the predicate. Checks every event that waits.
    package mutating func cancelAll(where isUnwanted: (Event) -> Bool) {
        let unwanted = entries.filter { events[$0.slot].map(isUnwanted) ?? false }
        for entry in unwanted { cancel(EventToken(slot: entry.slot, sequence: entry.sequence)) }
    }

    private mutating func takeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        places.append(-1)
        events.append(nil)
        return places.count - 1
    }

    private mutating func remove(at place: Int) -> Event? {
        exchange(place, entries.count - 1)
        let slot = entries.removeLast().slot
        places[slot] = -1
        freeSlots.append(slot)
        if place < entries.count {
            siftUp(from: place)
            siftDown(from: place)
        }
        return events[slot].take()
    }

    private mutating func siftUp(from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].precedes(entries[parent]) else { return }
            exchange(place, parent)
            place = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var place = start
        while let child = smallerChild(of: place), entries[child].precedes(entries[place]) {
            exchange(place, child)
            place = child
        }
    }

    private func smallerChild(of place: Int) -> Int? {
        let left = 2 * place + 1
        guard left < entries.count else { return nil }
        let right = left + 1
        guard right < entries.count, entries[right].precedes(entries[left]) else { return left }
        return right
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        guard left != right else { return }
        entries.swapAt(left, right)
        places[entries[left].slot] = left
        places[entries[right].slot] = right
    }
}
