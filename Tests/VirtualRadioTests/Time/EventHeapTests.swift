// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

import enum LanyardTestSupport.RunSeed

@Suite struct EventHeapTests {
    private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    private func drain(_ heap: inout EventHeap<Int>) -> [Int] {
        var events: [Int] = []
        while let first = heap.takeFirst() { events.append(first.event) }
        return events
    }

    @Test("An empty heap returns no event")
    func empty() {
        var heap = EventHeap<Int>()
        #expect(heap.count == 0)
        #expect(heap.firstInstant == nil)
        #expect(heap.takeFirst() == nil)
    }

    @Test("The heap returns events in the order of their instants")
    func order() {
        var heap = EventHeap<Int>()
        for time in [5, 1, 4, 2, 3] { _ = heap.insert(time, at: instant(Int64(time))) }
        #expect(heap.firstInstant == instant(1))
        #expect(drain(&heap) == [1, 2, 3, 4, 5])
    }

    @Test("Events of one instant keep the order of insertion")
    func sameInstant() {
        var heap = EventHeap<Int>()
        for number in 0..<100 { _ = heap.insert(number, at: instant(7)) }
        #expect(drain(&heap) == Array(0..<100))
    }

    @Test("A cancellation removes and returns the event")
    func cancel() {
        var heap = EventHeap<Int>()
        _ = heap.insert(1, at: instant(1))
        let token = heap.insert(2, at: instant(2))
        _ = heap.insert(3, at: instant(3))
        #expect(token.flatMap { heap.cancel($0) } == 2)
        #expect(heap.count == 2)
        #expect(drain(&heap) == [1, 3])
    }

    @Test("A token cancels only its own event")
    func token() throws {
        var heap = EventHeap<Int>()
        let oldToken = heap.insert(1, at: instant(1))
        let old = try #require(oldToken)
        _ = heap.takeFirst()
        #expect(heap.cancel(old) == nil)
        let newToken = heap.insert(2, at: instant(2))
        let new = try #require(newToken)
        #expect(old != new)
        #expect(heap.cancel(old) == nil)
        #expect(heap.cancel(new) == 2)
        #expect(heap.cancel(new) == nil)
    }

    @Test("A token of another heap cancels nothing in an empty heap")
    func foreignToken() throws {
        var full = EventHeap<Int>()
        var token: EventToken?
        for number in 0..<10 { token = full.insert(number, at: instant(0)) }
        var empty = EventHeap<Int>()
        #expect(empty.cancel(try #require(token)) == nil)
    }

    @Test("A full heap accepts an event after a cancellation")
    func limit() throws {
        var heap = EventHeap<Int>(eventLimit: 2)
        let firstToken = heap.insert(1, at: instant(1))
        let first = try #require(firstToken)
        #expect(heap.insert(2, at: instant(2)) != nil)
        #expect(heap.insert(3, at: instant(3)) == nil)
        heap.cancel(first)
        #expect(heap.insert(4, at: instant(0)) != nil)
        #expect(drain(&heap) == [4, 2])
    }

    @Test("The order remains when most of many events are canceled")
    func manyCancellations() {
        var heap = EventHeap<Int>()
        for round in 0..<10 {
            let tokens = (0..<1_000).compactMap { number in
                heap.insert(1_000 * round + number, at: instant(Int64(number * 37 % 1_000)))
            }
            for (number, token) in tokens.enumerated() where !number.isMultiple(of: 100) {
                #expect(heap.cancel(token) == 1_000 * round + number)
            }
            #expect(heap.count == 10 * (round + 1))
        }
        let expected = (0..<10_000).filter { $0.isMultiple(of: 100) }
            .sorted { ($0 % 1_000 * 37 % 1_000, $0) < ($1 % 1_000 * 37 % 1_000, $1) }
        #expect(drain(&heap) == expected)
    }

    @Test("The heap matches a simple model after every operation", arguments: RunSeed.seeds(20))
    func sortedArray(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var heap = EventHeap<Int>(eventLimit: 64)
        var model: [(time: Int64, number: Int, token: EventToken)] = []
        for number in 0..<2_000 {
            switch generator.next() % 4 {
            case 0, 1:
                let time = Int64(generator.next() % 16)
                let token = heap.insert(number, at: instant(time))
                #expect((token == nil) == (model.count == 64))
                if let token { model.append((time, number, token)) }
            case 2 where !model.isEmpty:
                let victim = model.remove(at: Int(generator.next() % UInt64(model.count)))
                #expect(heap.cancel(victim.token) == victim.number)
            default:
                let first = model.min { ($0.time, $0.number) < ($1.time, $1.number) }
                model.removeAll { $0.number == first?.number }
                #expect(heap.takeFirst()?.event == first?.number)
            }
            #expect(heap.count == model.count)
        }
    }
}
