// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The delivery of events")
struct DeliveryTests {
    @Test("1.2 Events come one at a time, even on a concurrent queue")
    func concurrentQueue() async {
        let queue = DispatchQueue(label: "app", attributes: .concurrent)
        let received = await receive(10_000, on: queue) { delivery in
            for number in 0..<10_000 { delivery.post(number, from: nil) }
        }
        #expect(received == Array(0..<10_000))
    }

    @Test("1.2 All events of many threads arrive, in the order of each thread")
    func manyThreads() async {
        let received = await receive(8_000, on: DispatchQueue(label: "app")) { delivery in
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<1_000 { delivery.post(thread * 1_000 + number, from: nil) }
            }
        }
        for thread in 0..<8 {
            let own = received.filter { $0 / 1_000 == thread }
            #expect(own == Array(thread * 1_000..<(thread + 1) * 1_000))
        }
    }

    @Test("1.2 A queue that was suspended gets all events when it is resumed")
    func suspendedQueue() async {
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        let received = await receive(3, on: queue) { delivery in
            for number in 0..<3 { delivery.post(number, from: nil) }
            queue.resume()
        }
        #expect(received == [0, 1, 2])
    }

    @Test("Only dispensable events are dropped if too many wait")
    func overflow() async {
        let limit = Delivery<Int>.pendingLimit
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        let received = await receive(limit + 1, on: queue) { delivery in
            for number in 0..<limit {
                #expect(delivery.post(number, from: nil, isDispensable: true))
            }
            #expect(!delivery.post(-1, from: nil, isDispensable: true))
            #expect(delivery.post(limit, from: nil))
            queue.resume()
        }
        #expect(received == Array(0...limit))
    }

    @Test("The count of waiting events falls when an event is received")
    func count() async {
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        let waiting = LockedState(0)
        let counts = Mutex<[Int]>([])
        let received = await receive(
            3,
            on: queue,
            observe: { _ in counts.withLock { $0.append(waiting.current) } },
            post: { delivery in
                for number in 0..<3 { delivery.post(number, from: nil, countedBy: waiting) }
                #expect(waiting.current == 3)
                queue.resume()
            }
        )
        #expect(received == [0, 1, 2])
        #expect(counts.withLock { $0 } == [2, 1, 0])
    }

    @Test("1.2 A block that the app enqueued before an event runs before it")
    func order() async {
        let queue = DispatchQueue(label: "app")
        let received = Mutex(0)
        let counts = Mutex<[Int]>([])
        queue.suspend()
        let deliveries = (0..<2).map { _ in
            Delivery<Int>(on: queue) { _ in received.withLock { $0 += 1 } }
        }
        for round in 0..<3 {
            for delivery in deliveries {
                delivery.post(round, from: nil)
                queue.async { counts.withLock { $0.append(received.withLock { $0 }) } }
            }
        }
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(counts.withLock { $0 } == [1, 2, 3, 4, 5, 6])
    }

    @Test("1.2 Blocks that run concurrently deliver one event at a time")
    func sideBySide() async {
        let queue = DispatchQueue(label: "app", attributes: .concurrent)
        let isReceiving = Mutex(false)
        let received = await receive(
            1_000,
            on: queue,
            observe: { _ in
                #expect(!isReceiving.withLock { $0 })
                isReceiving.withLock { $0 = true }
                sched_yield()
                isReceiving.withLock { $0 = false }
            },
            post: { delivery in
                for number in 0..<1_000 { delivery.post(number, from: nil) }
            }
        )
        #expect(received == Array(0..<1_000))
    }

    @Test("A received event is released: it may hold the only reference to a channel")
    func release() async {
        final class Item: Sendable {}
        let queue = DispatchQueue(label: "app")
        let delivery = Delivery<Item>(on: queue) { _ in }
        weak var last: Item?
        do {
            let items = (0..<3).map { _ in Item() }
            for item in items { delivery.post(item, from: nil) }
            last = items.last
        }
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(last == nil)
    }

    /// Posts events, and returns the first `count` that were received.
    private func receive(
        _ count: Int,
        on queue: DispatchQueue,
        observe: @escaping @Sendable (Int) -> Void = { _ in },
        post: (Delivery<Int>) -> Void
    ) async -> [Int] {
        let received = Mutex<[Int]>([])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let delivery = Delivery<Int>(on: queue) { number in
            observe(number)
            let isLast = received.withLock { received in
                received.append(number)
                return received.count == count
            }
            if isLast { end.finish() }
        }
        post(delivery)
        for await _ in ends {}
        return received.withLock { $0 }
    }
}
