// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Lanyard

@Suite("Event sequences")
struct EventsTests {
    @Test("Events arrive in order, beginning with the existing ones")
    func order() async {
        let hub = Hub<Int>()
        let events = hub.events { [1, 2] }
        hub.send { 3 }
        hub.end()
        var received: [Int] = []
        for await event in events { received.append(event) }
        #expect(received == [1, 2, 3])
    }

    @Test("Each subscriber receives all events")
    func several() async {
        let hub = Hub<Int>()
        let (one, other) = (hub.events(), hub.events())
        hub.send { 1 }
        hub.end()
        for events in [one, other] {
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == 1)
            #expect(await iterator.next() == nil)
        }
    }

    @Test("Beyond the limit, the oldest events are dropped and counted")
    func overflow() async {
        let hub = Hub<Int>()
        let events = hub.events(limit: 3)
        let results = (0..<5).map { number in hub.send { number } }
        #expect(results == [true, true, true, false, false])
        #expect(events.droppedCount == 2)
        hub.end()
        var received: [Int] = []
        for await event in events { received.append(event) }
        #expect(received == [2, 3, 4])
    }

    @Test("Existing events are not dropped, however many there are")
    func muchAtFirst() {
        let hub = Hub<Int>()
        let events = hub.events(limit: 3) { Array(0..<10) }
        #expect(events.droppedCount == 0)
        hub.send { 10 }
        #expect(events.droppedCount == 0)
    }

    @Test("A sequence ends at once for a canceled task, and continues for other tasks")
    func cancelled() async {
        let hub = Hub<Int>()
        let events = hub.events()
        let waiting = Task {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }
        waiting.cancel()
        #expect(await waiting.value == nil)
        // Other tasks are not affected.
        hub.send { 7 }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == 7)
    }

    @Test("A waiting task resumes on an event")
    func wakes() async {
        let hub = Hub<Int>()
        let events = hub.events()
        async let first = {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }()
        hub.send { 1 }
        #expect(await first == 1)
    }

    @Test("Events of a released sequence are released")
    func released() {
        let hub = Hub<Probe>()
        weak var probe: Probe?
        do {
            let events = hub.events()
            let sent = Probe()
            probe = sent
            hub.send { sent }
            withExtendedLifetime(events) {}
        }
        #expect(probe == nil)
    }

    private final class Probe: Sendable {}

    @Test("A sequence created after the end delivers the existing events and ends")
    func late() async {
        let hub = Hub<Int>()
        hub.end()
        var iterator = hub.events { [9] }.makeAsyncIterator()
        #expect(await iterator.next() == 9)
        #expect(await iterator.next() == nil)
    }

    @Test("A closure is called until its token is canceled or released")
    func closures() {
        let hub = Hub<Int>()
        let received = Mutex<[Int]>([])
        do {
            let token = hub.observe { value in received.withLock { $0.append(value) } }
            hub.send { 1 }
            token.cancel()
            hub.send { 2 }
        }
        do {
            let token = hub.observe { value in received.withLock { $0.append(value) } }
            hub.send { 3 }
            withExtendedLifetime(token) {}
        }
        hub.send { 4 }
        #expect(received.withLock { $0 } == [1, 3])
    }

    @Test("No event is lost when tasks send and subscribe at the same time")
    func race() async {
        let hub = Hub<Int>()
        let events = hub.events(limit: 10_000)
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask { for number in 0..<500 { hub.send { sender * 500 + number } } }
            }
            for _ in 0..<8 {
                group.addTask { for _ in 0..<50 { _ = hub.events() } }
            }
        }
        hub.end()
        var received: Set<Int> = []
        for await event in events { received.insert(event) }
        #expect(received.count == 4_000)
    }
}

@Suite("Promises")
struct PromiseTests {
    @Test("The first result counts, whether it comes before or during the wait")
    func first() async throws {
        let early = Promise<Int>()
        #expect(early.complete(.success(1)))
        #expect(!early.complete(.success(2)))
        let value = try await early.wait()
        #expect(value == 1)
        let late = Promise<Int>()
        let waiting = Task { try await late.wait() }
        late.complete(.failure(.linkEnded))
        await #expect(throws: AccessoryError.linkEnded) { try await waiting.value }
    }

    @Test("The cancellation of the waiting task ends the promise and calls its closure")
    func cancelled() async {
        let reply = Promise<Int>()
        let callCount = Mutex(0)
        reply.onCancel { callCount.withLock { $0 += 1 } }
        let task = Task { try await reply.wait() }
        task.cancel()
        await #expect(throws: AccessoryError.cancelled) { try await task.value }
        #expect(callCount.withLock { $0 } == 1)
        #expect(!reply.complete(.success(1)))
        reply.onCancel { callCount.withLock { $0 += 1 } }
        #expect(callCount.withLock { $0 } == 2)
    }
}
