// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing

// Scripts/check-portable runs these tests with the lock of Apple's platforms.
@Suite("Locks")
struct LockTests {
    @Test("Changes from many tasks exclude each other")
    func exclusion() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.increment() } }
            }
        }
        #expect(counter.count == 80_000)
    }

    @Test("A closure that throws an error releases the lock, and its change stays")
    func error() {
        let lock = Lock(0)
        #expect(throws: Refusal()) {
            try lock.withLock { value throws(Refusal) in
                value = 7
                throw Refusal()
            }
        }
        #expect(lock.withLock { $0 } == 7)
    }

    @Test("A released lock releases its value")
    func release() {
        weak var weakValue: Counter?
        do {
            let lock = Lock<Counter?>(Counter())
            weakValue = lock.withLock { $0 }
            #expect(weakValue != nil)
        }
        #expect(weakValue == nil)
    }

    @Test("A lock holds a value that cannot be copied")
    func noncopyable() {
        let lock = Lock<Single?>(Single(number: 3))
        let taken = lock.withLock { value in
            defer { value = nil }
            return value?.number
        }
        #expect(taken == 3)
        #expect(lock.withLock { $0 == nil })
    }

    @Test("A thread mark is set once, for the current thread, until it is cleared")
    func threadMark() {
        let mark = ThreadMark()
        let first = (mark.isSet, mark.isCurrent)
        let results = [mark.set(), mark.set()]
        let later = (mark.isSet, mark.isCurrent)
        mark.clear()
        let last = (mark.isSet, mark.isCurrent)
        #expect(first == (false, false))
        #expect(results == [true, false])
        #expect(later == (true, true))
        #expect(last == (false, false))
    }
}

private struct Refusal: Error, Equatable {}

private struct Single: ~Copyable {
    let number: Int
}

private final class Counter: Sendable {
    private let value = Lock(0)
    var count: Int { value.withLock { $0 } }

    func increment() { value.withLock { $0 += 1 } }
}
