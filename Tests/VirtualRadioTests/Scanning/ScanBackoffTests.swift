// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VirtualRadio

@Suite("The backoff of scan requests")
struct ScanBackoffTests {
    private var generator = RandomStream(seed: 5)

    @Test("The first advertisement gets a request")
    func first() {
        var backoff = ScanBackoff()
        let isTurn = backoff.admitsRequest()
        #expect(isTurn)
    }

    @Test("Every second failure doubles the limit, up to 256")
    mutating func failing() {
        var backoff = ScanBackoff()
        var limits: [UInt64] = []
        for _ in 0..<20 {
            backoff.failed(&generator)
            limits.append(backoff.upperLimit)
        }
        #expect(limits.prefix(6) == [1, 2, 2, 4, 4, 8])
        #expect(limits.last == 256)
    }

    @Test("Every second success halves the limit, down to 1")
    mutating func succeeding() {
        var backoff = ScanBackoff()
        for _ in 0..<6 { backoff.failed(&generator) }
        var limits: [UInt64] = []
        for _ in 0..<8 {
            backoff.succeeded(&generator)
            limits.append(backoff.upperLimit)
        }
        #expect(limits == [8, 4, 4, 2, 2, 1, 1, 1])
    }

    @Test("Only two successive results of the same kind change the limit")
    mutating func alternating() {
        var backoff = ScanBackoff()
        for _ in 0..<10 {
            backoff.failed(&generator)
            backoff.succeeded(&generator)
        }
        #expect(backoff.upperLimit == 1)
    }

    @Test("Every number of advertisements up to the limit is drawn")
    mutating func passing() {
        var seen: Set<Int> = []
        for _ in 0..<500 {
            var backoff = ScanBackoff()
            for _ in 0..<4 { backoff.failed(&generator) }
            #expect((1...backoff.upperLimit).contains(backoff.count))
            var count = 1
            while !backoff.admitsRequest() { count += 1 }
            seen.insert(count)
        }
        #expect(seen == [1, 2, 3, 4])
    }

    @Test("Without a result, the next advertisement gets a request too")
    func due() {
        var backoff = ScanBackoff()
        let turns = [backoff.admitsRequest(), backoff.admitsRequest()]
        #expect(turns == [true, true])
    }
}

@Suite("The keys of a duplicate filter")
struct RecentKeysTests {
    @Test("A key is new only at its first insertion")
    func once() {
        var keys = RecentKeys<Int>(limit: 3)
        let insertions = [keys.insert(1), keys.insert(1)]
        #expect(insertions == [true, false])
        #expect(keys.contains(1) && !keys.contains(2))
    }

    @Test("The newest key replaces the oldest key", arguments: 1...5)
    func forgetting(limit: Int) {
        var keys = RecentKeys<Int>(limit: limit)
        for key in 0..<20 {
            let isNew = keys.insert(key)
            #expect(isNew)
            for earlier in 0...key {
                #expect(keys.contains(earlier) == (earlier > key - limit))
            }
        }
    }

    @Test("The filter can be cleared and used again")
    func emptying() {
        var keys = RecentKeys<Int>(limit: 2)
        for key in 0..<5 { keys.insert(key) }
        keys.removeAll()
        #expect(!keys.contains(4))
        keys.insert(4)
        #expect(keys.contains(4) && !keys.contains(3))
        #expect(keys.limit == 2)
    }
}
