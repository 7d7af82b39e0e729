// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The name of one scheduled event, by which it is cancelled; good for that event only.
package struct EventToken: Hashable, Sendable {
    fileprivate let slot: Int
    fileprivate let sequence: UInt64
}

/// Events that wait for their instants: a binary heap ordered by (instant, order of insertion).
///
/// Inserting, cancelling and taking are O(log n); looking at the first is O(1). A cancelled event
/// leaves the heap at once, so that what is counted is what waits. To find it again, each event has
/// a *slot* that always says where in the heap it is; slots are used again, and the sequence number
/// in a token tells whether the slot still holds the event it was made for. The events themselves
/// lie still in their slots; what moves in the heap is small and plain.
package struct EventHeap<Event: Sendable>: Sendable {
    private struct Entry: Sendable {
        let instant: Instant
        let sequence: UInt64
        let slot: Int

        func precedes(_ other: Entry) -> Bool {
            instant != other.instant ? instant < other.instant : sequence < other.sequence
        }
    }

    /// How many events may wait at one time, in a heap that is not told otherwise: a thousand for
    /// each of a thousand devices.
    package static var defaultEventLimit: Int { 1 << 20 }

    /// How many events may wait at one time.
    package let eventLimit: Int

    private var entries: [Entry] = []
    /// By slot: where in the heap its entry is; -1 if it is free.
    private var places: [Int] = []
    /// By slot.
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextSequence: UInt64 = 0

    /// Makes an empty heap in which `eventLimit` events may wait.
    package init(eventLimit: Int = Self.defaultEventLimit) {
        self.eventLimit = eventLimit
    }

    /// How many events wait.
    package var count: Int { entries.count }

    /// Whether no event waits.
    package var isEmpty: Bool { entries.isEmpty }

    /// When the first event is due; nil if none waits.
    package var firstInstant: Instant? { entries.first?.instant }

    /// Lets the event wait for its instant; nil if `eventLimit` events do already.
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

    /// Takes the event out before its time; nil if it is not waiting any more.
    @discardableResult
    package mutating func cancel(_ token: EventToken) -> Event? {
        guard places.indices.contains(token.slot) else { return nil }
        let place = places[token.slot]
        guard place >= 0, entries[place].sequence == token.sequence else { return nil }
        return remove(at: place)
    }

    /// Takes the first event out; nil if none waits.
    package mutating func takeFirst() -> (instant: Instant, event: Event)? {
        guard let instant = firstInstant, let event = remove(at: 0) else { return nil }
        return (instant, event)
    }

    /// Takes all events of a kind out before their time. Looks at every one that waits.
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
