// SPDX-License-Identifier: Apache-2.0

/// The received values of a characteristic for a `for await` loop.
typealias NotificationBuffer = StreamBuffer<NotificationQueue, any Error>

/// Values in the order of their arrival, in a ring. `NotificationBuffer` bounds their number.
///
/// A slot keeps the array of a value that was taken, so that its memory can be used again. The next
/// value for the slot is copied into this array, unless the application still holds it.
struct NotificationQueue: StreamQueue {
    /// The number of slots after the first value.
    static let initialSlotCount = 8
    /// The number of slots above which an empty queue releases its memory.
    static let keptSlotLimit = 256

    /// The slots. Their number is zero or a power of two.
    private var slots: [[UInt8]] = []
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ value: ArraySlice<UInt8>) {
        if count == slots.count { grow() }
        let place = (first + count) & (slots.count - 1)
        slots[place].removeAll(keepingCapacity: true)
        slots[place].append(contentsOf: value)
        count += 1
    }

    mutating func takeFirst() -> [UInt8]? {
        guard count > 0 else { return nil }
        let value = slots[first]
        first = (first + 1) & (slots.count - 1)
        count -= 1
        if count == 0, slots.count > Self.keptSlotLimit { self = NotificationQueue() }
        return value
    }

    /// Doubles the number of slots. The queue is full, so every slot has a value.
    private mutating func grow() {
        let slotCount = max(Self.initialSlotCount, slots.count * 2)
        slots = Array(slots[first...] + slots[..<first])
        first = 0
        slots.append(contentsOf: repeatElement([], count: slotCount - count))
    }
}
