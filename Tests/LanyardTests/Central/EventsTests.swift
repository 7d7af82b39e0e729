// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Lanyard

@Suite("Events")
struct EventsTests {
    @Test("come in order, beginning with what there is")
    func order() async {
        let hub = Hub<Int>()
        let events = hub.events { [1, 2] }
        hub.send { 3 }
        hub.end()
        var heard: [Int] = []
        for await event in events { heard.append(event) }
        #expect(heard == [1, 2, 3])
    }

    @Test("are heard by all who listen, each on its own")
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

    @Test("drop the oldest when there are too many, and count them")
    func overflow() async {
        let hub = Hub<Int>()
        let events = hub.events(limit: 3)
        let results = (0..<5).map { number in hub.send { number } }
        #expect(results == [true, true, true, false, false])
        #expect(events.droppedCount == 2)
        hub.end()
        var heard: [Int] = []
        for await event in events { heard.append(event) }
        #expect(heard == [2, 3, 4])
    }

    @Test("do not lose what there is already, however much that is")
    func muchAtFirst() {
        let hub = Hub<Int>()
        let events = hub.events(limit: 3) { Array(0..<10) }
        #expect(events.droppedCount == 0)
        hub.send { 10 }
        #expect(events.droppedCount == 0)
    }

    @Test("end at once for a task that is cancelled, before and while it waits")
    func cancelled() async {
        let hub = Hub<Int>()
        let events = hub.events()
        let waiting = Task {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }
        waiting.cancel()
        #expect(await waiting.value == nil)
        // Others are not concerned.
        hub.send { 7 }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == 7)
    }

    @Test("wake who waits")
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

    @Test("of which nobody has the sequence are not kept")
    func letGo() {
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

    @Test("that begin after the end have what there is, and end")
    func late() async {
        let hub = Hub<Int>()
        hub.end()
        var iterator = hub.events { [9] }.makeAsyncIterator()
        #expect(await iterator.next() == 9)
        #expect(await iterator.next() == nil)
    }

    @Test("reach closures until their token is let go of")
    func closures() {
        let hub = Hub<Int>()
        let heard = Mutex<[Int]>([])
        do {
            let token = hub.observe { value in heard.withLock { $0.append(value) } }
            hub.send { 1 }
            token.cancel()
            hub.send { 2 }
        }
        do {
            let token = hub.observe { value in heard.withLock { $0.append(value) } }
            hub.send { 3 }
            withExtendedLifetime(token) {}
        }
        hub.send { 4 }
        #expect(heard.withLock { $0 } == [1, 3])
    }

    @Test("are lost by nobody, whoever sends and listens at the same time")
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
        var heard: Set<Int> = []
        for await event in events { heard.insert(event) }
        #expect(heard.count == 4_000)
    }
}

@Suite("A promise")
struct PromiseTests {
    @Test("is the first one that is given, before or after somebody waits")
    func first() async throws {
        let early = Promise<Int>()
        #expect(early.give(.success(1)))
        #expect(!early.give(.success(2)))
        let value = try await early.wait()
        #expect(value == 1)
        let late = Promise<Int>()
        let waiting = Task { try await late.wait() }
        late.give(.failure(.linkEnded))
        await #expect(throws: AccessoryError.linkEnded) { try await waiting.value }
    }

    @Test("ends with the task that waits, which is told to who was to answer")
    func cancelled() async {
        let reply = Promise<Int>()
        let told = Mutex(0)
        reply.onCancel { told.withLock { $0 += 1 } }
        let task = Task { try await reply.wait() }
        task.cancel()
        await #expect(throws: AccessoryError.cancelled) { try await task.value }
        #expect(told.withLock { $0 } == 1)
        #expect(!reply.give(.success(1)))
        reply.onCancel { told.withLock { $0 += 1 } }
        #expect(told.withLock { $0 } == 2)
    }
}
